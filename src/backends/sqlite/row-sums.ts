import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Database } from "./database.ts";

/** What a null counts as: no text that Sluice writes begins so. */
const NULL = "\u0001";

type Value = SQLOutputValue | undefined;

/**
 * A checksum of the values of a row. SQLite has none of its own, and a changed byte in a text or a number is as good a value to it as
 * any other. Integers and reals of the same value have the same sum, since JavaScript does not tell them apart when it writes them.
 */
export const rowSum = (values: readonly Value[]): number => {
  let text = "";
  for (const value of values) text += partOf(value);
  return crc32(text);
};

const partOf = (value: Value): string => `${value === null ? NULL : String(value)}\u0000`;

/** What never changes of an item, as one text: a row of many columns costs its reader more than the sum itself. */
export const fixedText = (of: "" | "i."): string =>
  `concat_ws(char(31), ${of}key, ${of}input, ${of}scraper, ${of}depth, coalesce(${of}parent_queue, ''), coalesce(${of}parent_seq, ''))`;

/** What `results.sum` covers of an item. One that is open counts as waiting, so that claiming it changes nothing. */
export const ITEM_TEXT = `concat_ws(char(31), ${fixedText("i.")}, max(i.state, 2), i.attempts, i.throttles)`;

/** The same of a row that was read: `fixed` is its `fixedText`. */
export const itemText = (fixed: string, state: number, attempts: number, throttles: number): string =>
  `${fixed}\u001F${Math.max(state, 2)}\u001F${attempts}\u001F${throttles}`;

/** What `results.sum` covers, before the text of the item. Past attempts have a sum of their own, because the last attempt does not read them. */
export const RESULT_COLUMNS = [
  ...(["queue", "seq", "ended_at", "quality", "failure", "captures", "records"] as const),
  ...(["skipped", "change", "attempt", "revision"] as const),
];

export type SummedResult = Readonly<Record<(typeof RESULT_COLUMNS)[number], Value>>;

/** As `rowSum` of these columns and the item's text, without an array: every settle needs it. */
export const resultSum = (row: SummedResult, item: string): number => {
  const place = partOf(row.queue) + partOf(row.seq) + partOf(row.ended_at);
  const outcome = partOf(row.quality) + partOf(row.failure) + partOf(row.captures) + partOf(row.records);
  const rest = partOf(row.skipped) + partOf(row.change) + partOf(row.attempt) + partOf(row.revision);
  return crc32(place + outcome + rest + partOf(item));
};

export const historySum = (queue: Value, seq: Value, history: Value): number | null =>
  history === null ? null : rowSum([queue, seq, history]);

/** After results, or their items, were changed in another way than by a settle. */
export const sumResults = (db: Database, queue: number, from: number, to = from): void => {
  const rows = db.all<SummedResult & { readonly history: string | null; readonly item: string }>(
    `SELECT r.*, ${ITEM_TEXT} AS item FROM results r JOIN items i ON i.queue = r.queue AND i.seq = r.seq
     WHERE r.queue = ? AND r.seq BETWEEN ? AND ?`,
    queue,
    from,
    to,
  );
  for (const row of rows)
    db.run(
      "UPDATE results SET sum = ?, history_sum = ? WHERE queue = ? AND seq = ?",
      resultSum(row, row.item),
      historySum(row.queue, row.seq, row.history),
      queue,
      Number(row.seq),
    );
};

/** What `job_sums.counts` covers of a job's own row: every column but `spec`. A migration that adds one takes away the sums that there are. */
export const JOB_COLUMNS = [
  ...(["id", "number", "client", "state", "sealed", "created_at", "ended_at", "received"] as const),
  ...(["accepted", "folded", "rejected", "capped", "too_deep", "capped_chain", "capped_budget"] as const),
  ...(["capped_quota", "waiting", "done", "absent", "failed", "skipped", "cancelled", "partial"] as const),
  ...(["requests", "bytes", "field_counts", "rejects", "leased", "scraper", "deadline_at"] as const),
  ...(["spent_at", "paused", "key_seed", "revision", "reopened_at"] as const),
];

/** Of a job's row and of what is counted of it elsewhere. Read as arrays: objects of so many columns cost more than the sum. */
export const jobSum = (prepare: (sql: string) => StatementSync, number: number): number => {
  const rows = (sql: string, value: SQLInputValue): Value[][] => {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(value) as unknown as Value[][];
  };
  const [job = []] = rows(`SELECT ${JOB_COLUMNS.join(", ")} FROM jobs WHERE number = ?`, number);
  const failures = rows(
    "SELECT kind, final, attempts, example_key, example_detail FROM job_failures WHERE job = ? ORDER BY kind",
    number,
  );
  const changes = rows("SELECT change, count FROM job_changes WHERE job = ? ORDER BY change", String(job[0]));
  return rowSum([...job, ...failures.flat(), ...changes.flat()]);
};

export const specSum = (number: number, spec: string): number => rowSum([number, spec]);

/** At the end of each write transaction: jobs whose rows were changed in it have no sum. */
export const sumJobs = (db: Database): void => {
  const open = db.all<{ job: number; spec: number | null }>(
    "SELECT job, spec FROM job_sums INDEXED BY job_sums_open WHERE counts IS NULL",
  );
  for (const { job, spec } of open) {
    const text = spec ?? db.get<{ spec: string }>("SELECT spec FROM jobs WHERE number = ?", job)?.spec;
    if (text === undefined) continue; // of no job: `fsck` tells
    db.run(
      "UPDATE job_sums SET counts = ?, spec = ? WHERE job = ?",
      jobSum((sql) => db.sql(sql), job),
      typeof text === "string" ? specSum(job, text) : text,
      job,
    );
  }
};

/** Migrations that copy rows call it. */
export const addRowSum = (db: DatabaseSync): void => {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  db.function("row_sum", options, (...values: SQLOutputValue[]) => rowSum(values));
};
