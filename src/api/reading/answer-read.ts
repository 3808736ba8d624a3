import { parseRecords, runRecords } from "../../archive/record-set.ts";
import { refuseDamage } from "../../archive/stored-bytes.ts";
import { itemPages, manifestLine, type Stores, writeManifest } from "../../archive/manifest.ts";
import type { Change } from "../../domain/freshness.ts";
import type { ItemView } from "../../domain/item.ts";
import { type FieldStatus, hidePlaces, type JudgedRecord, withoutPlaces } from "../../domain/record.ts";
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
  stores: Stores,
  { kind, job, query, having }: Extract<ReadRequest, { readonly kind: "items" | "batch" }>,
): Promise<string> => {
  const { ledger } = stores;
  const { items: listed, next } = await ledger.listItems(job, query);
  const items = having ? await withField(stores, job, listed, having) : listed;
  const now = Date.now();
  const shown: object[] = [];
  for (const item of items) {
    const view = itemView(await withSource(ledger, item), now);
    shown.push(kind === "items" ? view : { ...view, url: urlOf(item) });
  }
  return JSON.stringify((kind === "items" ? itemsPage : resultsPage).parse(page(shown, next)));
};

/** Those with a record in which the field has one of these statuses. The records of the run itself: those of an extraction cannot be searched. */
const withField = async (
  { blobs }: Stores,
  job: string,
  items: readonly ItemView[],
  { field, statuses }: FieldFilter,
): Promise<readonly ItemView[]> => {
  const found: ItemView[] = [];
  for await (const batch of runRecords(blobs, job, refuseDamage).recordsOf(items))
    for (const own of batch) {
      const records = parseRecords(own.item.key, own);
      const isAsked = ({ fields }: JudgedRecord): boolean => {
        const status = fields[field]?.status;
        return status !== undefined && statuses.includes(status);
      };
      if (records.some(isAsked)) found.push(own.item);
    }
  return found;
};

const urlOf = ({ input, key }: ItemView): string =>
  typeof input === "object" && input !== null && "url" in input ? String(input.url) : key;

const EXPORT_FORMATS = ["jsonl", "csv", "parquet"] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A read that takes long, or may: the result is bytes, and any thread can produce it. */
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
  | {
      readonly kind: "items" | "batch";
      readonly job: string;
      readonly query: ItemQuery;
      readonly having?: FieldFilter;
    };

interface FieldFilter {
  readonly field: string;
  readonly statuses: readonly FieldStatus[];
}
