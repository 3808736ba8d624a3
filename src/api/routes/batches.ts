import { z } from "zod";
import { ITEM_STATES } from "../../domain/item.ts";
import type { JobView } from "../../domain/job.ts";
import { json, problems } from "../answers.ts";
import type { Api, Who } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { fromCursor, pageOf, pageQuery } from "../cursor.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { listOf, many } from "../many.ts";
import { Problem } from "../problem.ts";
import { batchResultSchema } from "../schemas/item.ts";
import { jobSchema } from "../schemas/job.ts";
import { newBatchSchema } from "../schemas/job-options.ts";
import { batchParams } from "../schemas/params.ts";
import { startJob } from "../start-job.ts";
import { itemPlace } from "./items.ts";

const batchSchema = named(
  "Batch",
  jobSchema
    .pick({ id: true, client: true, state: true, createdAt: true, endedAt: true, progress: true })
    .extend({
      accepted: says("URLs that are fetched, or answered from what is fresh.", z.int()),
      folded: says("Further spellings of one that was given.", z.int()),
      rejected: says("That are no URL to fetch.", z.int()),
      states: jobSchema.shape.counts.shape.states,
    }),
);

export const addBatchRoutes = (app: Api, context: RouteContext): void => {
  const { service, now } = context;

  const batchView = (view: JobView): z.infer<typeof batchSchema> => {
    const { counts, ...job } = context.show(view);
    const { accepted, folded, rejected, states } = counts;
    return { ...job, accepted, folded, rejected, states };
  };

  const findBatch = async (who: Who, id: string): Promise<JobView> => {
    const view = await context.findJob(who, id);
    if (view.spec.isBatch) return view;
    throw new Problem("not-found", `${shown(id)}: no such batch.`);
  };

  app.post(
    "/v1/batches",
    {
      bodyLimit: 4 * 1024 * 1024,
      config: { isOnce: true },
      schema: {
        operationId: "createBatch",
        summary: "Fetch a batch of URLs",
        description: "A job of the built-in scraper `page`: under the batch's id it is a job too.",
        tags: ["batches"],
        body: newBatchSchema,
        response: {
          201: json(
            "The batch.",
            z.object({
              batch: batchSchema,
              rejected: z.array(z.object({ index: z.int(), problem: z.string() })),
            }),
          ),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async ({ body, who, once }, reply) => {
      const { urls, ...asked } = body;
      const started = await startJob(
        service,
        {
          once: once!,
          client: who.client,
          ready: await service.scrapers.find("page"),
          inputs: urls.map((url) => ({ url })),
          asked,
          seals: true,
          isBatch: true,
        },
        now(),
      );
      const view = await context.findJob(who, started.job);
      const rejected = started.rejected.map(({ line, problem }) => ({ index: line - 1, problem }));
      return await reply
        .code(201)
        .header("location", `/v1/batches/${started.job}`)
        .send({ batch: batchView(view), rejected });
    },
  );

  app.get(
    "/v1/batches/:batch",
    {
      schema: {
        operationId: "getBatch",
        summary: "Where a batch stands",
        tags: ["batches"],
        params: batchParams,
        response: { 200: json("The batch.", batchSchema), ...problems(404) },
      },
    },
    async ({ params, who }) => batchView(await findBatch(who, params.batch)),
  );

  app.get(
    "/v1/batches/:batch/results",
    {
      schema: {
        operationId: "listBatchResults",
        summary: "What came of each URL",
        tags: ["batches"],
        params: batchParams,
        querystring: z.strictObject({ state: many(z.enum(ITEM_STATES)).optional(), ...pageQuery(1000, 100) }),
        response: { 200: json("A page of results.", pageOf(batchResultSchema)), ...problems(404) },
      },
    },
    async ({ params: { batch }, query, who }, reply) => {
      await findBatch(who, batch);
      const states = listOf(query.state);
      const after = fromCursor(query.cursor, itemPlace);
      return await context.sendPage(reply, {
        kind: "batch",
        job: batch,
        query: { limit: query.limit, ...(states && { states }), ...(after && { after }) },
      });
    },
  );
};
