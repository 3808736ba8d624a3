import type { CaptureRef } from "../../../domain/capture.ts";
import { LATE_MS } from "../../../ledger/upkeep.ts";
import { queueFrom } from "../list-items.ts";
import { all, arrays, put, run, type Steps } from "../steps.ts";
import { FORMATS, type Value } from "../tables.ts";
import { addWorkSum, BATCH, type RemovalRow } from "./removal-row.ts";

/** Neighbouring places of one queue. */
interface Batch {
  readonly queue: number;
  readonly lo: number;
  readonly hi: number;
  readonly count: number;
}

/** Deletes one batch of a job's rows, after its bytes are gone; false if none was left. */
export function* dropRows(now: number, removal: RemovalRow): Steps<boolean> {
  if (removal.what === "pages") return yield* forgetPages(now, removal);
  const queue = yield* queueFrom(removal.number, 0);
  if (queue === undefined)
    return (
      (yield* dropSome("item_keys", "job", "hash", removal.number)) ||
      (yield* dropSome("events", "job", "id", removal.id))
    );
  const batch = yield* batchAfter(queue, 0);
  if (batch) yield* dropItems(now, removal, batch);
  else if (!(yield* dropSome("capped", "queue", "seq", queue)))
    yield* run("DELETE FROM queues WHERE id = ?", queue);
  return true;
}

function* dropSome(table: string, of: string, by: string, value: Value): Steps<boolean> {
  const dropped = yield* run(
    `DELETE FROM ${table} WHERE ${of} = ?1 AND ${by} IN (SELECT ${by} FROM ${table} WHERE ${of} = ?1 ORDER BY ${by} LIMIT ${BATCH})`,
    value,
  );
  return dropped > 0;
}

/** Pages stored after the mark are not touched: a job whose pages are being removed accepts none. */
function* forgetPages(now: number, removal: RemovalRow): Steps<boolean> {
  const queue = yield* queueFrom(removal.number, removal.queue);
  if (queue === undefined) return false;
  const batch = yield* batchAfter(queue, queue === removal.queue ? removal.seq : 0);
  if (batch) {
    yield* askLenders(now, batch);
    yield* countCaptures(removal, yield* forgetCaptures(batch, true));
  }
  const place = batch ? [batch.queue, batch.hi] : [queue + 1, 0];
  yield* run("UPDATE removals SET queue = ?, seq = ? WHERE number = ?", ...place, removal.number);
  return true;
}

function* batchAfter(queue: number, after: number): Steps<Batch | undefined> {
  const [batch] = yield* all<{ lo: number | null; hi: number; count: number }>(
    `SELECT min(seq) AS lo, max(seq) AS hi, count(*) AS count
     FROM (SELECT seq FROM items WHERE queue = ? AND seq > ? ORDER BY seq LIMIT ${BATCH}) places`,
    queue,
    after,
  );
  return batch?.lo == null ? undefined : { ...batch, queue, lo: batch.lo };
}

/** Rows of a batch, locked until the transaction ends. A row that does not match its checksum stays: it is not read either. */
function* rowsIn(kind: "result" | "retry", { queue, lo, hi }: Batch): Steps<Value[][]> {
  const format = FORMATS[kind];
  const rows = yield* arrays<Value[]>(
    `SELECT ${format.columnsOf("t")} FROM ${format.table} t WHERE t.queue = ? AND t.seq BETWEEN ? AND ? ORDER BY t.seq @lock`,
    queue,
    lo,
    hi,
  );
  return rows.filter((row) => format.fits(row));
}

/** Returns the captures of these items. */
function* forgetCaptures(batch: Batch, isWritten: boolean): Steps<CaptureRef[]> {
  const results = (yield* rowsIn("result", batch))
    .map((row) => FORMATS.result.read(row))
    .filter(({ captures }) => captures.length > 0);
  const retries = (yield* rowsIn("retry", batch))
    .map((row) => FORMATS.retry.read(row))
    .flatMap(({ last, ...retry }) => (last && last.captures.length > 0 ? { ...retry, last } : []));
  if (isWritten) {
    const none = { captures: [] };
    yield* put(
      "result",
      results.map((result) => ({ ...result, ...none })),
    );
    yield* put(
      "retry",
      retries.map((retry) => ({ ...retry, last: { ...retry.last, ...none } })),
    );
  }
  return [...results, ...retries.map(({ last }) => last)].flatMap(({ captures }) => captures);
}

function* dropItems(now: number, removal: RemovalRow, batch: Batch): Steps<void> {
  yield* countCaptures(removal, yield* forgetCaptures(batch, false));
  yield* askLenders(now, batch);
  for (const table of ["results", "retries", "borrowed", "fetches", "items"])
    yield* run(
      `DELETE FROM ${table} WHERE queue = ? AND seq BETWEEN ? AND ?`,
      batch.queue,
      batch.lo,
      batch.hi,
    );
  yield* run("UPDATE removals SET items = items + ? WHERE number = ?", batch.count, removal.number);
  yield* addWorkSum("removed items", batch.count);
}

/** Data that other jobs have collected belongs to them, and is not counted. */
function* countCaptures({ id, number }: RemovalRow, captures: readonly CaptureRef[]): Steps<void> {
  const own = captures.filter(({ blob }) => blob.startsWith(`jobs/${id}/`)).length;
  if (own === 0) return;
  yield* run("UPDATE removals SET captures = captures + ? WHERE number = ?", own, number);
  yield* addWorkSum("removed captures", own);
}

/** In the transaction that deletes these items: jobs that kept something for them must check whether it is still needed. */
function* askLenders(now: number, { queue, lo, hi }: Batch): Steps<void> {
  const lenders = yield* all<{ owner: string }>(
    `SELECT DISTINCT b.owner FROM borrowed b WHERE b.queue = ? AND b.seq BETWEEN ? AND ?
       AND EXISTS (SELECT 1 FROM kept_objects k WHERE k.owner = b.owner)`,
    queue,
    lo,
    hi,
  );
  for (const { owner } of lenders) yield* askSweep(owner, now);
}

const askSweep = (owner: string, dueAt: number): Steps<number> =>
  run(
    `INSERT INTO sweeps (owner, asked, due_at) VALUES (?, 1, ?)
     ON CONFLICT (owner) DO UPDATE SET asked = sweeps.asked + 1,
       due_at = CASE WHEN sweeps.due_at < excluded.due_at THEN sweeps.due_at ELSE excluded.due_at END`,
    owner,
    dueAt,
  );

/** Everything is deleted. */
export function* endRemoval({ id, number, marked_at }: RemovalRow): Steps<void> {
  yield* run("UPDATE removals SET step = NULL, queue = 0, seq = 0, counted_to = '' WHERE number = ?", number);
  yield* askSweep(id, marked_at + LATE_MS);
}
