import type { FailureKind } from "./failure.ts";

/** Of one kind: failures that ended an item, and failed attempts, including those that were retried. */
export type FailurePair = readonly [items: number, attempts: number];
export type FailurePairs = Readonly<Partial<Record<FailureKind, FailurePair>>>;

/**
 * Failures of a job over time. The time is divided into equal spans from 1970 on: bucket n begins at n × `widthMs`. Where a job's failures lie
 * further apart than so many spans, these become twice as long, so that a job has few buckets however long it takes.
 */
export interface FailureTimes {
  readonly widthMs: number;
  /** By the bucket's number. */
  readonly buckets: Readonly<Record<string, FailurePairs>>;
}

/** From the first to the last. */
const MOST_BUCKETS = 96;

export const NO_FAILURE_TIMES: FailureTimes = { widthMs: 1000, buckets: {} };

export const addFailureTimes = (before: FailureTimes, at: number, added: FailurePairs): FailureTimes => {
  let { widthMs, buckets } = before;
  const bucketOf = (): number => Math.floor(at / widthMs);
  const span = (): number => {
    const numbers = [...Object.keys(buckets).map(Number), bucketOf()];
    return Math.max(...numbers) - Math.min(...numbers) + 1;
  };
  while (span() > MOST_BUCKETS) {
    widthMs *= 2;
    const joined: Record<string, FailurePairs> = {};
    for (const [number, pairs] of Object.entries(buckets)) {
      const half = Math.floor(Number(number) / 2);
      joined[half] = addFailurePairs(joined[half], pairs);
    }
    buckets = joined;
  }
  const number = bucketOf();
  return { widthMs, buckets: { ...buckets, [number]: addFailurePairs(buckets[number], added) } };
};

export const addFailurePairs = (sums: FailurePairs = {}, added: FailurePairs): FailurePairs => {
  const next: Partial<Record<FailureKind, FailurePair>> = { ...sums };
  for (const [kind, [items, attempts]] of Object.entries(added) as [FailureKind, FailurePair][]) {
    const [knownItems, knownAttempts] = next[kind] ?? [0, 0];
    next[kind] = [knownItems + items, knownAttempts + attempts];
  }
  return next;
};
