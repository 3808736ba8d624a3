import { z } from "zod";
import { pageOf } from "../../schemas/describe.ts";
import { itemQuery, itemRecordsSchema, itemSchema } from "../../schemas/item.ts";
import { itemParams, jobParams } from "../../schemas/job.ts";
import { itemView } from "../../services/item-view.ts";
import { findItem, readItemRecords } from "../../services/items.ts";
import { findJob } from "../../services/jobs.ts";
import { fromCursor, json, listOf, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

/** Where a page of items begins. */
export const itemPlace = z.object({ queue: z.int().min(0), seq: z.int().min(0) });

/** Items of a page whose records are read: with a filter by field, they are read to be judged. */
const MOST_WITH_RECORDS = 200;

export const addItemRoutes = (app: Api, context: RouteContext): void => {
  const { service, now } = context;

  app.get(
    "/v1/jobs/:job/items",
    {
      schema: {
        operationId: "listItems",
        summary: "List the items of a job",
        description:
          "Filters are applied while the list is read, at most a few thousand items at a time: a page may be short or empty and still have a `next`.",
        tags: ["items"],
        params: jobParams,
        querystring: itemQuery,
        response: { 200: json("A page of items.", pageOf(itemSchema)), ...problems(404) },
      },
    },
    async ({ params: { job }, query, actor }, reply) => {
      await findJob(service, actor, job);
      const { scraper, limit, quality, field } = query;
      const [states, kinds, keys] = [listOf(query.state), listOf(query.kind), listOf(query.key)];
      const changes = listOf(query.change);
      const after = fromCursor(query.cursor, itemPlace);
      return await context.sendPage(reply, {
        kind: "items",
        job,
        ...(field !== undefined && { having: { field, statuses: listOf(query.status) ?? ["missing"] } }),
        query: {
          limit: field === undefined ? limit : Math.min(limit, MOST_WITH_RECORDS),
          ...(quality !== undefined && { quality }),
          ...(changes && { changes }),
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
        summary: "Get an item",
        description: "With its attempts and captures.",
        tags: ["items"],
        params: itemParams,
        response: { 200: json("The item.", itemSchema), ...problems(404) },
      },
    },
    async ({ params: { job, item }, actor }) => itemView(await findItem(service, actor, job, item), now()),
  );

  app.get(
    "/v1/jobs/:job/items/:item/records",
    {
      schema: {
        operationId: "listItemRecords",
        summary: "List the records of an item",
        description: "With the status of each field and the place on the page where it was found.",
        tags: ["items"],
        params: itemParams,
        response: {
          200: json("The item's records in the job's current set.", itemRecordsSchema),
          ...problems(404),
        },
      },
    },
    async ({ params: { job, item }, actor }) => {
      const found = await findItem(service, actor, job, item);
      const { extraction, data } = await readItemRecords(service, job, found);
      return { extraction, data };
    },
  );
};
