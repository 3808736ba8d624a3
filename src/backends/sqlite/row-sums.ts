import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { crc32 } from "node:zlib";

/** What a null counts as: no text that Sluice writes begins so. */
const NULL = "\u0001";

/**
 * A checksum of the values of a row. SQLite has none of its own, and a changed byte in a text or a number is as good a value to it as
 * any other. Integers and reals of the same value have the same sum, since JavaScript does not tell them apart when it writes them.
 */
export const rowSum = (values: readonly SQLOutputValue[]): number =>
  crc32(values.map((value) => (value === null ? NULL : String(value))).join("\u0000"));

/** Triggers call it: every connection that writes needs it. */
export const addRowSum = (db: DatabaseSync): void => {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  db.function("row_sum", options, (...values: SQLOutputValue[]) => rowSum(values));
};

/** The columns under `results.sum`, of `results` as `r` and `items` as `i`, as the triggers of migration 12 have them. */
export const RESULT_SUM = `row_sum(r.queue, r.seq, r.ended_at, r.quality, r.failure, r.captures, r.records, r.skipped, r.change, r.attempt,
  r.revision, i.key, i.input, i.scraper, i.depth, i.parent_queue, i.parent_seq, max(i.state, 2), i.attempts, i.throttles)`;

/** What `results.sum` covers of the item: it is told by the update that settles it. */
export interface SummedItem {
  readonly key: string;
  readonly input: string;
  readonly scraper: number;
  readonly depth: number;
  readonly parent_queue: number | null;
  readonly parent_seq: number | null;
  readonly state: number;
  readonly attempts: number;
  readonly throttles: number;
}

/** In the order of `RESULT_SUM`: what stands in `results`, then the item's own. */
export const resultSum = (result: readonly SQLOutputValue[], item: SummedItem): number => {
  const { key, input, scraper, depth, parent_queue, parent_seq, state, attempts, throttles } = item;
  const own = [key, input, scraper, depth, parent_queue, parent_seq, Math.max(state, 2), attempts, throttles];
  return rowSum([...result, ...own]);
};

/** The columns under `job_sums.counts`, of `jobs` as `j`. */
export const JOB_SUM = `row_sum(j.number, j.id, j.client, j.state, j.sealed, j.created_at, j.ended_at, j.received, j.accepted, j.folded, j.rejected,
  j.capped, j.too_deep, j.capped_chain, j.capped_budget, j.waiting, j.done, j.absent, j.failed, j.skipped, j.cancelled,
  j.partial, j.requests, j.bytes, j.field_counts, j.rejects, j.leased, j.scraper, j.deadline_at, j.spent_at, j.paused,
  j.key_seed, j.revision, j.reopened_at)`;
