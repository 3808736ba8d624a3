import { Readable } from "node:stream";
import { z } from "zod";
import { manifestLine } from "../../archive/manifest.ts";
import { CHANGES } from "../../model/freshness.ts";
import { exportJob } from "../../export/export-records.ts";
import { itemPages } from "../../reextract/item-pages.ts";
import { csvFormat } from "../../export/outputs/csv-format.ts";
import { jsonlFormat } from "../../export/outputs/jsonl-format.ts";
import { ParquetWriter } from "../../export/outputs/parquet-writer.ts";
import type { RecordWriter } from "../../export/outputs/record-writer.ts";
import { TextWriter } from "../../export/outputs/text-writer.ts";
import { problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import { says } from "../api-registry.ts";
import type { Desk } from "../desk.ts";
import { itemId } from "../item-view.ts";
import { listOf, many } from "../many.ts";
import { tellDamage, withOwnPlaces } from "../own-places.ts";
import { PipeSink } from "../pipe-sink.ts";
import { Problem } from "../problem.ts";
import { jobParams } from "../schemas/params.ts";

const TYPES = {
  jsonl: "application/x-ndjson",
  csv: "text/csv",
  parquet: "application/vnd.apache.parquet",
} as const;
const FORMATS = ["jsonl", "csv", "parquet"] as const;
type Format = (typeof FORMATS)[number];

export const addResultRoutes = (app: Api, desk: Desk): void => {
  const { ledger, blobs, log, scrapers } = desk.house;

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
          format: z.enum(FORMATS).default("jsonl"),
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
    async ({ params: { job }, query, who, id }, reply) => {
      const { spec } = await desk.findJob(who, job);
      const { format, extraction, gaps } = query;
      const scraper = query.scraper === undefined ? undefined : await scrapers.ownName(query.scraper);
      const changes = listOf(query.changes);
      if (scraper !== undefined && !spec.scrapers.some(({ name }) => name === scraper))
        throw new Problem("unknown-scraper", `${scraper}: not one of this job's scrapers.`);
      const sink = new PipeSink();
      const begun = firstByte(sink.readable);
      const writing = exportJob({ ledger, blobs }, job, writerTo(sink, format), {
        ...(scraper !== undefined && { scraper }),
        ...(extraction !== undefined && { extraction }),
        ...(gaps !== undefined && { gaps }),
        ...(changes && { changes }),
        pathOfFile: ({ ref }, _, number) => `/v1/jobs/${job}/items/${itemId(ref)}/captures/${number}`,
      }).catch((error: unknown) => tellDamage(error, job));
      // What is wrong before the first byte is still a problem; after it the connection is cut.
      await Promise.race([begun, writing]);
      writing.catch((error: unknown) => {
        sink.readable.destroy();
        log.warn("results.broken", { request: id, job, error: String(error) });
      });
      return await reply
        .type(TYPES[format])
        .header("content-disposition", `attachment; filename="${job}.${format}"`)
        .send(sink.readable);
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
      await desk.findJob(who, job);
      const lines = async function* () {
        for await (const items of itemPages(ledger, job))
          yield items.map((item) => `${manifestLine(withOwnPlaces(item, job))}\n`).join("");
      };
      return await reply
        .type(TYPES.jsonl)
        .header("content-disposition", `attachment; filename="${job}.manifest.jsonl"`)
        .send(Readable.from(lines(), { objectMode: false }));
    },
  );
};

const writerTo = (sink: PipeSink, format: Format): RecordWriter => {
  switch (format) {
    case "jsonl":
      return new TextWriter(sink, jsonlFormat);
    case "csv":
      return new TextWriter(sink, csvFormat);
    case "parquet":
      return new ParquetWriter(sink, "parquet");
    default:
      return format satisfies never;
  }
};

/** Stays open where there is none: then the writing has an end of its own. */
const firstByte = (readable: Readable): Promise<void> =>
  new Promise((resolve) => {
    readable.once("readable", () => resolve());
  });
