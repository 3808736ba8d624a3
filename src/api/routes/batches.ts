import { z } from "zod";
import { ITEM_STATES } from "../../domain/item.ts";
import type { JobView } from "../../domain/job.ts";
import { many, pageOf, pageQuery } from "../../schemas/describe.ts";
import { newBatchSchema } from "../../schemas/job-options.ts";
import { batchParams, batchResultSchema, batchSchema, createdBatchSchema } from "../../schemas/job.ts";
import { type Actor, shown } from "../../services/context.ts";
import { batchView } from "../../services/job-view.ts";
import { findJob } from "../../services/jobs.ts";
import { Problem } from "../../services/problem.ts";
import { submitJob } from "../../services/submit.ts";
import { fromCursor, json, listOf, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";
import { itemPlace } from "./items.ts";

export const addBatchRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;

  const findBatch = async (actor: Actor, id: string): Promise<JobView> => {
    const view = await findJob(service, actor, id);
    if (view.spec.isBatch) return view;
    throw new Problem("not-found", `${shown(id)}: no such batch.`);
  };

  app.post(
    "/v1/batches",
    {
      bodyLimit: 4 * 1024 * 1024,
      config: { creates: true },
      schema: {
        operationId: "createBatch",
        summary: "Create a batch",
        description:
          "Fetches a list of URLs. A batch is a job of the built-in scraper `page`, and can be used as a job under the same id.",
        tags: ["batches"],
        body: newBatchSchema,
        response: { 201: json("The batch.", createdBatchSchema), ...problems(409, 413, 415, 422) },
      },
    },
    async ({ body: { urls, ...options }, actor, creation }, reply) => {
      const submitted = await submitJob(service, {
        creation: creation!,
        client: actor.client,
        scraper: await service.scrapers.find("page"),
        inputs: urls.map((url) => ({ url })),
        options,
        seal: true,
        guardsTargets: true,
        isBatch: true,
      });
      const batch = batchView(context.show(submitted.view));
      const rejected = submitted.rejected.map(({ line, problem }) => ({ index: line - 1, problem }));
      return await reply.code(201).header("location", `/v1/batches/${batch.id}`).send({ batch, rejected });
    },
  );

  app.get(
    "/v1/batches/:batch",
    {
      schema: {
        operationId: "getBatch",
        summary: "Get a batch",
        tags: ["batches"],
        params: batchParams,
        response: { 200: json("The batch.", batchSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => batchView(context.show(await findBatch(actor, params.batch))),
  );

  app.get(
    "/v1/batches/:batch/results",
    {
      schema: {
        operationId: "listBatchResults",
        summary: "List the results of a batch",
        description: "The outcome of each URL.",
        tags: ["batches"],
        params: batchParams,
        querystring: z.strictObject({ state: many(z.enum(ITEM_STATES)).optional(), ...pageQuery(1000, 100) }),
        response: { 200: json("A page of results.", pageOf(batchResultSchema)), ...problems(404) },
      },
    },
    async ({ params: { batch }, query, actor }, reply) => {
      await findBatch(actor, batch);
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
