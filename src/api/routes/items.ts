import { z } from "zod";
import { findItemRecords } from "../../export/export-rows.ts";
import { ITEM_STATES } from "../../domain/item.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { fromCursor, pageOf, pageQuery } from "../cursor.ts";
import type { RouteContext } from "../route-context.ts";
import { itemView } from "../item-view.ts";
import { listOf, many } from "../many.ts";
import { itemSchema } from "../schemas/item.ts";
import { failureKind } from "../schemas/failure.ts";
import { itemParams, jobParams } from "../schemas/params.ts";

export const itemPlace = z.object({ queue: z.int().min(0), seq: z.int().min(0) });

const recordSchema = named(
  "ItemRecord",
  z.object({
    from: says("Name of the page that it was read from.", z.string()).optional(),
    quality: z.enum(["complete", "partial"]),
    fields: z.record(
      z.string(),
      z.object({
        status: z.enum(FIELD_STATUSES),
        value: z.unknown(),
        raw: says("As the page has it, its first 500 characters.", z.string()).optional(),
        by: says("The place that found it, as the scraper wrote it.", z.string()).optional(),
        at: says("Where that stands: characters from the start of the page's text.", z.int()).optional(),
        why: says("Why it is malformed, or empty.", z.string()).optional(),
      }),
    ),
  }),
);

export const addItemRoutes = (app: Api, context: RouteContext): void => {
  const { service, now } = context;

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
    async ({ params: { job }, query, who }, reply) => {
      await context.findJob(who, job);
      const { scraper, limit } = query;
      const [states, kinds, keys] = [listOf(query.state), listOf(query.kind), listOf(query.key)];
      const after = fromCursor(query.cursor, itemPlace);
      return await context.sendPage(reply, {
        kind: "items",
        job,
        query: {
          limit,
          ...(states && { states }),
          ...(kinds && { kinds }),
          ...(keys && { keys }),
          ...(scraper !== undefined && { scraper: await service.scrapers.ownName(scraper) }),
          ...(after && { after }),
        },
      });
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
    async ({ params, who }) => itemView(await context.findItem(who, params.job, params.item), now()),
  );

  app.get(
    "/v1/jobs/:job/items/:item/records",
    {
      schema: {
        operationId: "listItemRecords",
        summary: "An item's records, with the status and place of each field",
        tags: ["items"],
        params: itemParams,
        response: {
          200: json(
            "Its records in the job's current set.",
            z.object({ extraction: z.string(), data: z.array(recordSchema) }),
          ),
          ...problems(404),
        },
      },
    },
    async ({ params, who }) => {
      const item = await context.findItem(who, params.job, params.item);
      const { set, records } = await findItemRecords(service, params.job, item);
      return {
        extraction: set.slice(set.indexOf("@") + 1),
        data: records.map(({ from, quality, fields }) => ({
          ...(from !== undefined && { from }),
          quality,
          fields,
        })),
      };
    },
  );
};
