import { ArchiveError, sha256 } from "../archive/manifest.ts";
import { stretchesOf } from "../archive/read-capture.ts";
import type { BlobRange, RecordRange } from "../domain/capture.ts";
import type { ItemView } from "../domain/item.ts";
import { BlobError, type Blobs } from "../ports/blobs.ts";
import type { ItemRecords, RecordSet } from "./current-records.ts";
import { isStorageError, type OnDamage, type StorageError } from "./damage.ts";

/** Bytes of records that are in memory at a time. */
export const BATCH_BYTES = 4 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** The records that the run itself made, where the ledger says they are. */
export const runRecords = (blobs: Blobs, job: string, onDamage: OnDamage): RecordSet => ({
  name: `${job}@first`,
  extraction: undefined,
  async *recordsOf(items) {
    for (const batch of inBatches(items)) {
      yield batch.map(await readRunLines(blobs, batch, onDamage));
    }
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

/** Neighbours in one read; each item's records are checked against their digest, so that damage concerns no item but its own. */
export const readRunLines = async (
  blobs: Blobs,
  items: readonly ItemView[],
  onDamage: OnDamage,
): Promise<(item: ItemView) => ItemRecords> => {
  const found = new Map<BlobRange, Buffer>();
  const ranges = items.flatMap(({ key, records }) => (records ? { ...records, key, records } : []));
  for (const stretch of stretchesOf(ranges)) {
    const { blob, offset, end } = stretch;
    const bytes = await blobs.get(blob, { offset, length: end - offset }).catch(storageError);
    for (const range of stretch.ranges) {
      const part = bytes instanceof Error ? bytes : rangeOf(bytes, range.offset - offset, range);
      if (part instanceof Error) onDamage(unreadable(range, part));
      else found.set(range.records, part);
    }
  }
  return (item) => {
    const { records } = item;
    const lines = records ? found.get(records) : NOTHING;
    return {
      item,
      lines: lines ?? NOTHING,
      blob: records?.blob ?? "",
      ...(!lines && { isDamaged: true }),
    };
  };
};

const storageError = (error: unknown): StorageError => {
  if (isStorageError(error)) return error;
  throw error;
};

const rangeOf = (bytes: Uint8Array, from: number, { length, digest }: RecordRange): Buffer | Error => {
  const part = bytes.subarray(from, from + length);
  if (part.length < length) return new Error(`only ${part.length} of ${length} bytes are there`);
  if (digest !== undefined && sha256(part) !== digest) return new Error("their digest is another");
  return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
};

const unreadable = (
  { blob, offset, length, key }: BlobRange & { readonly key: string },
  cause: Error,
): StorageError => {
  const isMissing = cause instanceof BlobError && cause.code === "not-found";
  if (isStorageError(cause) && !isMissing) return cause;
  const what = isMissing ? "the object is missing" : cause.message;
  return new ArchiveError(
    "damaged",
    blob,
    `${blob}: the records of item ${key} (${length} bytes at ${offset}) are damaged: ${what}. ` +
      "Put the object back from a backup, or make them again from the stored pages with `sluice extract`.",
    { cause, item: key },
  );
};
