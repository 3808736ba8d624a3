import { ArchiveError } from "../archive/archive-error.ts";
import { stretchesOf } from "../archive/stretches.ts";
import type { BlobRange } from "../model/capture.ts";
import type { ItemView } from "../model/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { RecordSet } from "./current-records.ts";

/** Bytes of records that are in memory at a time. */
export const BATCH_BYTES = 4 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** The records that the run itself made, where the ledger says they are. */
export const runRecords = (blobs: Blobs, job: string): RecordSet => ({
  name: `${job}@first`,
  extraction: undefined,
  async *recordsOf(items) {
    for (const batch of inBatches(items)) {
      const linesOf = await readRunLines(blobs, batch);
      yield batch.map((item) => ({ item, lines: linesOf(item) }));
    }
  },
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
): Promise<(item: ItemView) => Buffer> => {
  const found = new Map<BlobRange, Buffer>();
  for (const { blob, offset, end, ranges } of stretchesOf(items.flatMap(({ records }) => records ?? []))) {
    const bytes = await blobs.get(blob, { offset, length: end - offset });
    for (const range of ranges) {
      const from = range.offset - offset;
      const part = bytes.subarray(from, from + range.length);
      if (part.length < range.length) throw tooShort(range, part.length);
      found.set(range, Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    }
  }
  return ({ records }) => (records && found.get(records)) ?? NOTHING;
};

const tooShort = ({ blob, offset, length }: BlobRange, there: number): ArchiveError =>
  new ArchiveError(
    "damaged",
    blob,
    `${blob}: the records at byte ${offset} cannot be read: only ${there} of ${length} bytes are there. ` +
      "Put the segment back from a backup.",
  );
