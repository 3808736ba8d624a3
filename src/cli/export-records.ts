import type { House } from "../compose.ts";
import type { ItemView } from "../model/item.ts";
import { LedgerError } from "../ports/ledger.ts";
import { ExportShape, type ExportEntry } from "./export-rows.ts";
import { jobItems } from "./job-items.ts";
import type { RecordWriter } from "./outputs/record-writer.ts";
import { readRecords } from "./read-records.ts";

export interface Exported {
  readonly rows: number;
  /** Fields for which there was no column, because the first rows did not have them. */
  readonly leftOut: readonly string[];
}

/** Rows that the columns and their types are learned from. */
const LEARN_ROWS = 1000;
/** Bytes of records that are in memory at a time. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Writes one row per record, or per item without one, to a path or to a writer. Memory does not grow with the job. */
export const exportJob = async (
  { ledger, blobs }: Pick<House, "ledger" | "blobs">,
  job: string,
  output: string | RecordWriter,
): Promise<Exported> => {
  const view = await ledger.readJob(job);
  if (!view) throw new LedgerError("no-such-job", `${job}: no such job. \`sluice jobs ls\` lists them.`);
  // Loaded here: nobody needs it before a job's first request.
  const { openOutput } = await import("./outputs/open-output.ts");
  await using writer = typeof output === "string" ? openOutput(output) : output;
  let shape: ExportShape | undefined;
  let waiting: ExportEntry[] = [];
  let rows = 0;
  const flush = async () => {
    if (!shape) {
      shape = new ExportShape(view.spec, waiting);
      await writer.open(shape.columns);
    }
    const known = shape;
    await writer.write(waiting.map((entry) => known.row(entry)));
    rows += waiting.length;
    waiting = [];
  };
  for await (const page of jobItems(ledger, job))
    for (const items of inBatches(page)) {
      waiting.push(...(await withRecords(blobs, items)));
      if (shape || waiting.length >= LEARN_ROWS) await flush();
    }
  await flush();
  await writer.close();
  return { rows, leftOut: shape?.leftOut ?? [] };
};

const withRecords = async (blobs: House["blobs"], items: readonly ItemView[]): Promise<ExportEntry[]> => {
  const ranges = items.flatMap(({ records }) => records ?? []);
  const found = await readRecords(blobs, ranges);
  return items.flatMap((item): ExportEntry[] => {
    const records = item.records === null ? [] : (found.get(item.records) ?? []);
    return records.length === 0 ? [{ item }] : records.map((record) => ({ item, record }));
  });
};

function* inBatches(items: readonly ItemView[]): Generator<readonly ItemView[]> {
  let batch: ItemView[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = item.records?.length ?? 0;
    if (batch.length > 0 && bytes + size > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
