import { itemPages, manifestLine, type Stores, writeManifest } from "../../archive/manifest.ts";
import type { Change } from "../../domain/freshness.ts";
import type { ItemView } from "../../domain/item.ts";
import { hidePlaces, withoutPlaces } from "../../domain/record.ts";
import { exportJob } from "../../export/export-records.ts";
import { withSource } from "../../export/export-rows.ts";
import type { ByteSink } from "../../export/outputs/open-output.ts";
import { ParquetWriter } from "../../export/outputs/parquet-writer.ts";
import { csvFormat, jsonlFormat, type RecordWriter, TextWriter } from "../../export/outputs/text-writer.ts";
import type { ItemQuery } from "../../ports/ledger.ts";
import { pageOf } from "../../schemas/describe.ts";
import { itemSchema } from "../../schemas/item.ts";
import { batchResultSchema } from "../../schemas/job.ts";
import { itemView, tellDamage, withOwnPlaces } from "../../services/item-view.ts";
import { itemId } from "../../services/items.ts";
import { diffRuns } from "../../services/run-difference.ts";
import { page } from "../answers.ts";

/** Writes the answer to the sink, at the reader's speed. */
export const answerRead = async (stores: Stores, request: ReadRequest, sink: ByteSink): Promise<void> => {
  switch (request.kind) {
    case "results": {
      const { kind: _kind, job, format, ...settings } = request;
      await exportJob(stores, job, withPlainDetails(writerTo(sink, format)), {
        ...settings,
        pathOfFile: ({ ref }, _, number) => `/v1/jobs/${job}/items/${itemId(ref)}/captures/${number}`,
      }).catch((error: unknown) => tellDamage(error, job));
      return;
    }
    case "manifest": {
      const { job } = request;
      for await (const items of itemPages(stores.ledger, job))
        await sink.write(items.map((item) => `${manifestLine(withOwnPlaces(item, job))}\n`).join(""));
      return await sink.commit();
    }
    case "keep-manifest":
      await writeManifest(stores, request.job);
      return await sink.commit();
    case "diff": {
      const [before, after] = await Promise.all(
        [request.before, request.job].map(async (job) => (await stores.ledger.readJob(job))!.spec),
      );
      const difference = await diffRuns(stores, before!, after!, request.most).catch((error: unknown) =>
        tellDamage(error, request.job),
      );
      await sink.write(JSON.stringify(difference, hidePlaces));
      return await sink.commit();
    }
    case "items":
    case "batch":
      await sink.write(await pageText(stores, request));
      return await sink.commit();
    default:
      return request satisfies never;
  }
};

const writerTo = (sink: ByteSink, format: ExportFormat): RecordWriter => {
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

/** As in `itemView`. */
const withPlainDetails = (writer: RecordWriter): RecordWriter => ({
  open: (columns) => writer.open(columns),
  write: (rows) =>
    writer.write(
      rows.map((row) =>
        typeof row["_detail"] === "string" ? { ...row, _detail: withoutPlaces(row["_detail"]) } : row,
      ),
    ),
  close: () => writer.close(),
  [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
});

const itemsPage = pageOf(itemSchema);
const resultsPage = pageOf(batchResultSchema);

const pageText = async (
  { ledger }: Stores,
  { kind, job, query }: { readonly kind: "items" | "batch"; readonly job: string; readonly query: ItemQuery },
): Promise<string> => {
  const { items, next } = await ledger.listItems(job, query);
  const now = Date.now();
  const shown: object[] = [];
  for (const item of items) {
    const view = itemView(await withSource(ledger, item), now);
    shown.push(kind === "items" ? view : { ...view, url: urlOf(item) });
  }
  return JSON.stringify((kind === "items" ? itemsPage : resultsPage).parse(page(shown, next)));
};

const urlOf = ({ input, key }: ItemView): string =>
  typeof input === "object" && input !== null && "url" in input ? String(input.url) : key;

const EXPORT_FORMATS = ["jsonl", "csv", "parquet"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A read that takes long, or may: it is answered as bytes, by whoever has time. */
export type ReadRequest =
  | {
      readonly kind: "results";
      readonly job: string;
      readonly format: ExportFormat;
      readonly scraper?: string;
      readonly extraction?: string;
      readonly gaps?: "keep" | "drop";
      readonly changes?: readonly Change[];
    }
  /** As clients get it, or as it is kept in the archive: then nothing is answered. */
  | { readonly kind: "manifest" | "keep-manifest"; readonly job: string }
  /** The current records of two jobs, compared. */
  | { readonly kind: "diff"; readonly job: string; readonly before: string; readonly most: number }
  /** A page of items, as JSON; `batch`: as the results of a batch. */
  | { readonly kind: "items" | "batch"; readonly job: string; readonly query: ItemQuery };
