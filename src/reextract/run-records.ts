import { ArchiveError } from "../archive/archive-error.ts";
import { stretchesOf } from "../archive/stretches.ts";
import type { BlobRange } from "../model/capture.ts";
import type { ItemView } from "../model/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { ItemRecords, RecordSet } from "./current-records.ts";
import { isStorageError, type OnDamage } from "./damage.ts";

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

/** Neighbours in one read. */
export const readRunLines = async (
  blobs: Blobs,
  items: readonly ItemView[],
  onDamage: OnDamage,
): Promise<(item: ItemView) => ItemRecords> => {
  const found = new Map<BlobRange, Buffer>();
  for (const { blob, offset, end, ranges } of stretchesOf(items.flatMap(({ records }) => records ?? [])))
    try {
      const bytes = await blobs.get(blob, { offset, length: end - offset });
      for (const range of ranges) {
        const from = range.offset - offset;
        const part = bytes.subarray(from, from + range.length);
        if (part.length < range.length) throw tooShort(range, part.length);
        found.set(range, Buffer.from(part.buffer, part.byteOffset, part.byteLength));
      }
    } catch (error) {
      if (!isStorageError(error)) throw error;
      onDamage(error);
    }
  return (item) => {
    const { records } = item;
    return { item, lines: (records && found.get(records)) ?? NOTHING, blob: records?.blob ?? "" };
  };
};

const tooShort = ({ blob, offset, length }: BlobRange, there: number): ArchiveError =>
  new ArchiveError(
    "damaged",
    blob,
    `${blob}: the records at byte ${offset} cannot be read: only ${there} of ${length} bytes are there. ` +
      "Put the segment back from a backup, or make them again from the stored pages with `sluice extract`.",
  );
