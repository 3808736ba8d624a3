import type { RecordRange } from "../domain/capture.ts";
import type { ItemView } from "../domain/item.ts";
import type { JudgedRecord } from "../domain/record.ts";
import { BlobError, type Blobs } from "../ports/blobs.ts";
import type { StoredExtraction } from "./extractions.ts";
import { readRanges } from "./read-capture.ts";
import { ArchiveError, isStorageError, type OnDamage, sha256 } from "./stored-bytes.ts";

/** An item as a set of records has it: with that set's state, failure and quality. */
export interface ItemRecords {
  readonly item: ItemView;
  /** Its records as stored, one JSON text per line; empty if it has none. */
  readonly lines: Buffer;
  /** The object that holds them; empty if there is none. */
  readonly blob: string;
  /** Its records cannot be read; `onDamage` received the error. */
  readonly isDamaged?: true;
}

/** One of a job's sets of records: those of the run itself, or those of an extraction. */
export interface RecordSet extends AsyncDisposable {
  /** `JOB@first` or `JOB@EXTRACTION`. */
  readonly name: string;
  /** Undefined for the records of the run itself. */
  readonly extraction: StoredExtraction | undefined;
  /**
   * Items with their records, a few megabytes at a time. Pass every item of the job once, in the ledger's order: an extraction is read
   * sequentially, not searched.
   */
  recordsOf(items: readonly ItemView[]): AsyncIterable<readonly ItemRecords[]>;
  /** Call after the last item. Leftover records mean that some item was shown without its own. */
  checkEnd(): Promise<void>;
}

/** Bytes of records in memory at a time. */
export const BATCH_BYTES = 4 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** The records that the run itself made, at the places the ledger names. */
export const runRecords = (blobs: Blobs, job: string, onDamage: OnDamage): RecordSet => ({
  name: `${job}@first`,
  extraction: undefined,
  async *recordsOf(items) {
    for (const batch of inBatches(items)) yield await readRunLines(blobs, batch, onDamage);
  },
  // Each item knows where its own are: nothing can be left over.
  async checkEnd() {},
  async [Symbol.asyncDispose]() {},
});

function* inBatches(items: readonly ItemView[]): Generator<readonly ItemView[]> {
  let from = 0;
  let bytes = 0;
  for (const [at, { records }] of items.entries()) {
    const size = records?.length ?? 0;
    if (at > from && bytes + size > BATCH_BYTES) {
      yield items.slice(from, at);
      from = at;
      bytes = 0;
    }
    bytes += size;
  }
  if (from < items.length) yield items.slice(from);
}

/** Each item's records are checked against their digest, so that damage affects no other item. */
export const readRunLines = async (
  blobs: Blobs,
  items: readonly ItemView[],
  onDamage: OnDamage,
): Promise<ItemRecords[]> => {
  const ranges = items.flatMap(({ records }) => records ?? []);
  const found = await readRanges(blobs, ranges);
  return items.map((item) => {
    const { key, records } = item;
    if (!records) return { item, lines: NOTHING, blob: "" };
    const { blob } = records;
    const bytes = verified(found.get(records)!, records);
    if (!(bytes instanceof Error))
      return { item, lines: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), blob };
    onDamage(isStorageError(bytes) && !isMissing(bytes) ? bytes : damagedRange(key, records, bytes));
    return { item, lines: NOTHING, blob, isDamaged: true };
  });
};

const verified = (bytes: Uint8Array | Error, { length, digest }: RecordRange): Uint8Array | Error => {
  if (bytes instanceof Error) return bytes;
  if (bytes.length < length) return new Error(`only ${bytes.length} of ${length} bytes exist`);
  return digest !== undefined && sha256(bytes) !== digest ? new Error("digest mismatch") : bytes;
};

const isMissing = (error: Error): boolean => error instanceof BlobError && error.code === "not-found";

const damagedRange = (key: string, { blob, offset, length }: RecordRange, cause: Error): ArchiveError =>
  damagedRecords(
    blob,
    `the records of item ${key} (${length} bytes at ${offset}) are damaged: ${isMissing(cause) ? "the object is missing" : cause.message}`,
    { cause, item: key },
  );

export const damagedRecords = (
  blob: string,
  what: string,
  options?: ConstructorParameters<typeof ArchiveError>[2],
): ArchiveError =>
  new ArchiveError(
    blob,
    `${blob}: ${what}. Restore the object from a backup, or make the records again from the stored pages with \`sluice extract\`.`,
    options,
  );

/** One item's records from their stored lines. Throws `ArchiveError`, naming `blob`. */
export const parseRecords = (
  key: string,
  { lines, blob }: Pick<ItemRecords, "lines" | "blob">,
): JudgedRecord[] => {
  if (lines.length === 0) return [];
  const texts = lines.toString().split("\n");
  if (texts.pop() !== "") throw unreadable(blob, key);
  return texts.map((text) => parseRecord(text, blob, key));
};

export const parseRecord = (line: string, blob: string, key: string): JudgedRecord => {
  let record: JudgedRecord | null;
  try {
    record = JSON.parse(line) as JudgedRecord | null;
  } catch (cause) {
    throw unreadable(blob, key, cause);
  }
  if (typeof record?.fields !== "object" || record.fields === null) throw unreadable(blob, key);
  return record;
};

const unreadable = (blob: string, key: string, cause?: unknown): ArchiveError =>
  damagedRecords(blob, `the records of item ${key} cannot be read`, { cause });
