import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { crc32 } from "node:zlib";

/** What a null counts as: no text that Sluice writes begins so. */
const NULL = "\u0001";

/**
 * A checksum of the values of a row. SQLite has none of its own, and a changed byte in a text or a number is as good a value to it as
 * any other. Integers and reals of the same value have the same sum, since JavaScript does not tell them apart when it writes them.
 */
export const rowSum = (values: readonly SQLOutputValue[]): number =>
  crc32(values.reduce<string>((text, value) => `${text}${value === null ? NULL : String(value)}\u0000`, ""));

/** Triggers call it: every connection that writes needs it. */
export const addRowSum = (db: DatabaseSync): void => {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  db.function("row_sum", options, (...values: SQLOutputValue[]) => rowSum(values));
};

/** What `results.sum` covers of the item, as one text: a row of many columns costs its reader more than the sum itself. */
export const itemText = (of: "" | "i."): string =>
  `concat_ws(char(31), ${of}key, ${of}input, ${of}scraper, ${of}depth, coalesce(${of}parent_queue, ''), coalesce(${of}parent_seq, ''),
    max(${of}state, 2), ${of}attempts, ${of}throttles)`;

/** The columns under `results.sum`, of `results` as `r` and `items` as `i`, as the triggers of migration 12 have them. */
export const RESULT_SUM = `row_sum(r.queue, r.seq, r.ended_at, r.quality, r.failure, r.captures, r.records, r.skipped, r.change, r.attempt,
  r.revision, ${itemText("i.")})`;

/** The columns under `job_sums.counts`, of `jobs` as `j`. */
export const JOB_SUM = `row_sum(j.number, j.id, j.client, j.state, j.sealed, j.created_at, j.ended_at, j.received, j.accepted, j.folded, j.rejected,
  j.capped, j.too_deep, j.capped_chain, j.capped_budget, j.waiting, j.done, j.absent, j.failed, j.skipped, j.cancelled,
  j.partial, j.requests, j.bytes, j.field_counts, j.rejects, j.leased, j.scraper, j.deadline_at, j.spent_at, j.paused,
  j.key_seed, j.revision, j.reopened_at)`;
