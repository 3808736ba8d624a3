import { jobParams } from "../../schemas/job.ts";
import { prunedSchema, pruneSchema, removalSchema, removeQuery } from "../../schemas/removal.ts";
import { dueView, prune, readRemoval, removalView, removeJob } from "../../services/removals.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

/** Jobs per request. */
const MOST = 500;

export const addRemovalRoutes = (app: Api, { service }: RouteContext): void => {
  app.delete(
    "/v1/jobs/:job",
    {
      schema: {
        operationId: "removeJob",
        summary: "Remove a job",
        description:
          "Removes a job that has ended, with all of its data, or only its pages. It can no longer be read; the data is deleted in the background, see `getRemoval`. Objects that items of other jobs use stay until those jobs are removed. Removing a job again changes nothing.",
        tags: ["jobs"],
        params: jobParams,
        querystring: removeQuery,
        response: { 202: json("The job is being removed.", removalSchema), ...problems(404, 409) },
      },
    },
    async ({ params, query, actor }, reply) => {
      const removal = await removeJob(service, actor, params.job, query.keep ? "pages" : "job");
      return await reply.code(202).send(removalView(removal));
    },
  );

  app.get(
    "/v1/jobs/:job/removal",
    {
      schema: {
        operationId: "getRemoval",
        summary: "Get the removal of a job",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The removal.", removalSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => removalView(await readRemoval(service, actor, params.job)),
  );

  app.post(
    "/v1/prune",
    {
      config: { role: "operator" },
      schema: {
        operationId: "prune",
        summary: "Remove old jobs of all clients, or their pages",
        description: `Handles at most ${MOST} jobs; if \`isMore\` is true, repeat the request. Data is deleted in the background, see \`getRemoval\`.`,
        tags: ["jobs"],
        body: pruneSchema,
        response: {
          200: json("The jobs that are being removed, or would be removed.", prunedSchema),
          ...problems(413, 415),
        },
      },
    },
    async ({ body: { olderThanMs, keep, scraper, dryRun } }) => {
      const wish = {
        ...(olderThanMs !== undefined && { olderThanMs }),
        ...(keep && { keepsRecords: true }),
        ...(scraper !== undefined && { scraper }),
      };
      const { parts, isMore } = await prune(service, wish, { isDry: dryRun, most: MOST });
      return { data: parts.map(dueView), isMore };
    },
  );
};
