import { z } from "zod";
import { diffQuery, jobParams, resultsQuery, runDifferenceSchema } from "../../schemas/job.ts";
import { findJob, scraperOfJob } from "../../services/jobs.ts";
import { checkComparable } from "../../services/run-difference.ts";
import { json, listOf, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const TYPES = {
  jsonl: "application/x-ndjson",
  csv: "text/csv",
  parquet: "application/vnd.apache.parquet",
} as const;

export const addResultRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;

  app.get(
    "/v1/jobs/:job/results",
    {
      schema: {
        operationId: "getResults",
        summary: "Get the records of a job",
        description:
          "One row per record, or per item without a record, with its outcome. Streamed from the archive; while the job runs, it has the records so far. A Parquet file is complete only when the stream ends.",
        tags: ["results"],
        params: jobParams,
        querystring: resultsQuery,
        response: {
          200: stream("The rows.", z.string(), ...Object.values(TYPES)),
          ...problems(404, 422),
        },
      },
    },
    async ({ params: { job }, query, actor }, reply) => {
      const view = await findJob(service, actor, job);
      const { format, extraction, gaps } = query;
      const scraper = await scraperOfJob(service, view, query.scraper);
      const changes = listOf(query.changes);
      const rows = await context.openExport(
        {
          kind: "results",
          job,
          format,
          ...(scraper !== undefined && { scraper }),
          ...(extraction !== undefined && { extraction }),
          ...(gaps !== undefined && { gaps }),
          ...(changes && { changes }),
        },
        reply,
      );
      return await reply
        .type(TYPES[format])
        .header("content-disposition", `attachment; filename="${job}.${format}"`)
        .send(rows);
    },
  );

  app.get(
    "/v1/jobs/:job/diff",
    {
      schema: {
        operationId: "diffJobs",
        summary: "Compare two jobs",
        description:
          "The current records of a job that has ended, and those of another one. Items are matched by key. Reads all records of both: at most a million items.",
        tags: ["results"],
        params: jobParams,
        querystring: diffQuery,
        response: { 200: json("The differences.", runDifferenceSchema), ...problems(404, 409, 413, 422) },
      },
    },
    async ({ params: { job }, query: { before, examples }, actor }, reply) => {
      await checkComparable(service, actor, [before, job]);
      const answer = await context.openExport({ kind: "diff", job, before, most: examples }, reply);
      // It was made by the schema's type on another thread, and is sent as it comes.
      return await reply.type("application/json; charset=utf-8").send(answer as never);
    },
  );

  app.get(
    "/v1/jobs/:job/manifest",
    {
      schema: {
        operationId: "getManifest",
        summary: "Get the manifest of a job",
        description:
          "One line per item: key, state, failure, quality, and where its captures and records are stored. For an item that uses data of another job, the location is left out: read its captures through the item.",
        tags: ["results"],
        params: jobParams,
        response: {
          200: stream("The lines.", z.string(), TYPES.jsonl),
          ...problems(404),
        },
      },
    },
    async ({ params: { job }, actor }, reply) => {
      await findJob(service, actor, job);
      const lines = await context.openExport({ kind: "manifest", job }, reply);
      return await reply
        .type(TYPES.jsonl)
        .header("content-disposition", `attachment; filename="${job}.manifest.jsonl"`)
        .send(lines);
    },
  );
};
