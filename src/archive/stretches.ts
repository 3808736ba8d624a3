import type { BlobRange } from "../model/capture.ts";

/** Reading over a gap of this many bytes is cheaper than another read. */
const GAP = 64 * 1024;

/** A run of one object that holds some of the ranges asked for. */
export interface Stretch<Range extends BlobRange> {
  readonly blob: string;
  readonly offset: number;
  end: number;
  readonly ranges: Range[];
}

/**
 * Neighbours in an object, to be read together: what was stored together lies together, and what was tried again much later
 * costs one small read.
 */
export const stretchesOf = <Range extends BlobRange>(ranges: readonly Range[]): Stretch<Range>[] => {
  const stretches: Stretch<Range>[] = [];
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
