import { z } from "zod";
import { CHANGES } from "../../domain/freshness.ts";
import { problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { says } from "../api-registry.ts";
import type { RouteContext } from "../route-context.ts";
import { listOf, many } from "../many.ts";
import { Problem } from "../problem.ts";
import { EXPORT_FORMATS } from "../reading/read-request.ts";
import { jobParams } from "../schemas/params.ts";

const TYPES = {
  jsonl: "application/x-ndjson",
  csv: "text/csv",
  parquet: "application/vnd.apache.parquet",
} as const;

export const addResultRoutes = (app: Api, context: RouteContext): void => {
  const { scrapers } = context.service;

  app.get(
    "/v1/jobs/:job/results",
    {
      schema: {
        operationId: "getResults",
        summary: "A job's records",
        description:
          "One row for each record, or for each item without one, with how it went. Streamed from the archive, also while the job runs: then it has what there is. Parquet has its end only at its end.",
        tags: ["results"],
        params: jobParams,
        querystring: z.strictObject({
          format: z.enum(EXPORT_FORMATS).default("jsonl"),
          scraper: says("Only rows of this one of the job's scrapers.", z.string().max(64)).optional(),
          extraction: says(
            "Which set of records: `current`, `first` (of the run itself), or an extraction's id.",
            z.string().min(1).max(100),
          ).optional(),
          gaps: says(
            "`drop` leaves out records without a value in a required field, and items without a record.",
            z.enum(["keep", "drop"]),
          ).optional(),
          changes: says(
            "Only items that are so since the client last had them; for jobs with `freshness`.",
            many(z.enum(CHANGES)),
          ).optional(),
        }),
        response: {
          200: stream("The rows.", z.string(), ...Object.values(TYPES)),
          ...problems(404, 422),
        },
      },
    },
    async ({ params: { job }, query, who }, reply) => {
      const { spec } = await context.findJob(who, job);
      const { format, extraction, gaps } = query;
      const scraper = query.scraper === undefined ? undefined : await scrapers.ownName(query.scraper);
      const changes = listOf(query.changes);
      if (scraper !== undefined && !spec.scrapers.some(({ name }) => name === scraper))
        throw new Problem("unknown-scraper", `${scraper}: not one of this job's scrapers.`);
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
    "/v1/jobs/:job/manifest",
    {
      schema: {
        operationId: "getManifest",
        summary: "A job's manifest",
        description:
          "One line for each item: key, state, failure, quality, and where its captures and records are. What an item was answered with from another job is named, and not where it lies: its captures are read through the item.",
        tags: ["results"],
        params: jobParams,
        response: {
          200: stream("The lines.", z.string(), TYPES.jsonl),
          ...problems(404),
        },
      },
    },
    async ({ params: { job }, who }, reply) => {
      await context.findJob(who, job);
      const lines = await context.openExport({ kind: "manifest", job }, reply);
      return await reply
        .type(TYPES.jsonl)
        .header("content-disposition", `attachment; filename="${job}.manifest.jsonl"`)
        .send(lines);
    },
  );
};
