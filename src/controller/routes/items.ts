import { z } from "zod";
import { ITEM_STATES } from "../../model/item.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { says } from "../api-registry.ts";
import { fromCursor, page, pageOf, pageQuery } from "../cursor.ts";
import type { Desk } from "../desk.ts";
import { itemView } from "../item-view.ts";
import { listOf, many } from "../many.ts";
import { itemSchema } from "../schemas/item.ts";
import { failureKind } from "../schemas/failure.ts";
import { itemParams, jobParams } from "../schemas/params.ts";

export const itemPlace = z.object({ queue: z.int().min(0), seq: z.int().min(0) });

export const addItemRoutes = (app: Api, desk: Desk): void => {
  const { house, now } = desk;

  app.get(
    "/v1/jobs/:job/items",
    {
      schema: {
        operationId: "listItems",
        summary: "List a job's items",
        tags: ["items"],
        params: jobParams,
        querystring: z.strictObject({
          state: many(z.enum(ITEM_STATES)).optional(),
          kind: says("Of their failure.", many(failureKind)).optional(),
          key: many(z.string().min(1).max(8000)).optional(),
          scraper: z.string().max(64).optional(),
          ...pageQuery(1000, 100),
        }),
        response: { 200: json("A page of items.", pageOf(itemSchema)), ...problems(404) },
      },
    },
    async ({ params: { job }, query, who }) => {
      await desk.findJob(who, job);
      const { scraper, limit } = query;
      const [states, kinds, keys] = [listOf(query.state), listOf(query.kind), listOf(query.key)];
      const after = fromCursor(query.cursor, itemPlace);
      const { items, next } = await house.ledger.listItems(job, {
        limit,
        ...(states && { states }),
        ...(kinds && { kinds }),
        ...(keys && { keys }),
        ...(scraper !== undefined && { scraper: await house.scrapers.ownName(scraper) }),
        ...(after && { after }),
      });
      const answered = await Promise.all(items.map((item) => desk.withSource(item)));
      return page(
        answered.map((item) => itemView(item, now())),
        next,
      );
    },
  );

  app.get(
    "/v1/jobs/:job/items/:item",
    {
      schema: {
        operationId: "getItem",
        summary: "One item, with its attempts and captures",
        tags: ["items"],
        params: itemParams,
        response: { 200: json("The item.", itemSchema), ...problems(404) },
      },
    },
    async ({ params, who }) => itemView(await desk.findItem(who, params.job, params.item), now()),
  );
};
