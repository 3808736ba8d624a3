import { ArchiveError } from "../archive/archive-error.ts";
import type { BlobRange } from "../model/capture.ts";
import type { JudgedRecord } from "../model/record.ts";
import type { Blobs } from "../ports/blobs.ts";

/** Reading over a gap of this many bytes is cheaper than another read. */
const GAP = 64 * 1024;

/** A run of one segment that holds some of the ranges asked for. */
interface Stretch {
  readonly blob: string;
  readonly offset: number;
  end: number;
  readonly ranges: BlobRange[];
}

/**
 * The records at these ranges. Neighbours in a segment are read together, and no segment is read twice: items that were
 * settled together lie together, and one that was tried again much later costs one small read.
 */
export const readRecords = async (
  blobs: Blobs,
  ranges: readonly BlobRange[],
): Promise<Map<BlobRange, readonly JudgedRecord[]>> => {
  const records = new Map<BlobRange, readonly JudgedRecord[]>();
  for (const stretch of stretchesOf(ranges)) {
    const { blob, offset, end } = stretch;
    const bytes = await blobs.get(blob, { offset, length: end - offset });
    for (const range of stretch.ranges) {
      const from = range.offset - offset;
      records.set(range, parseRecords(range, bytes.subarray(from, from + range.length)));
    }
  }
  return records;
};

const stretchesOf = (ranges: readonly BlobRange[]): Stretch[] => {
  const stretches: Stretch[] = [];
  const ordered = ranges.toSorted((a, b) =>
    a.blob < b.blob ? -1 : a.blob > b.blob ? 1 : a.offset - b.offset,
  );
  for (const range of ordered) {
    const { blob, offset, length } = range;
    const last = stretches.at(-1);
    if (last?.blob === blob && offset - last.end <= GAP) {
      last.end = Math.max(last.end, offset + length);
      last.ranges.push(range);
    } else stretches.push({ blob, offset, end: offset + length, ranges: [range] });
  }
  return stretches;
};

const parseRecords = (range: BlobRange, bytes: Uint8Array): JudgedRecord[] => {
  try {
    if (bytes.length < range.length)
      throw new RangeError(`only ${bytes.length} of ${range.length} bytes are there`);
    return new TextDecoder()
      .decode(bytes)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as JudgedRecord);
  } catch (cause) {
    const { blob, offset, length } = range;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ArchiveError(
      "damaged",
      blob,
      `${blob}: the records at byte ${offset} (${length} bytes) cannot be read: ${reason}. ` +
        "Put the segment back from a backup; the other items can still be found through the manifest.",
      { cause },
    );
  }
};
