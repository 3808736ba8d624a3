import type { CaptureRef } from "../../../domain/capture.ts";
import { LATE_MS } from "../../../ledger/upkeep.ts";
import { type Connection, writeRecords } from "../rows.ts";
import { FORMATS, type Value } from "../tables.ts";
import { addWorkSums, BATCH, type RemovalRow } from "./removal-row.ts";

/** Neighbouring places of one queue. */
interface Batch {
  readonly queue: number;
  readonly lo: number;
  readonly hi: number;
  readonly count: number;
}

/** One batch of a job's rows, after its bytes are gone; false when none was left. */
export const dropRows = (db: Connection, removal: RemovalRow): boolean => {
  if (removal.what === "pages") return forgetPages(db, removal);
  const queue = queueFrom(db, removal.number, 0);
  if (queue === undefined)
    return (
      dropSome(db, "item_keys", "job", "hash", removal.number) ||
      dropSome(db, "events", "job", "id", removal.id)
    );
  const batch = batchAfter(db, queue, 0);
  if (batch) dropItems(db, removal, batch);
  else if (!dropSome(db, "capped", "queue", "seq", queue)) db.run("DELETE FROM queues WHERE id = ?", queue);
  return true;
};

const queueFrom = (db: Connection, job: number, from: number): number | undefined =>
  db.arrays<[number]>(
    "SELECT id FROM queues WHERE job = ? AND id >= ? ORDER BY id LIMIT 1",
    job,
    from,
  )[0]?.[0];

const dropSome = (db: Connection, table: string, of: string, by: string, value: Value): boolean =>
  db.run(
    `DELETE FROM ${table} WHERE ${of} = ?1 AND ${by} IN (SELECT ${by} FROM ${table} WHERE ${of} = ?1 ORDER BY ${by} LIMIT ${BATCH})`,
    value,
  ) > 0;

/** Pages that came after the mark are not touched: a job whose pages are being removed takes none. */
const forgetPages = (db: Connection, removal: RemovalRow): boolean => {
  const queue = queueFrom(db, removal.number, removal.queue);
  if (queue === undefined) return false;
  const batch = batchAfter(db, queue, queue === removal.queue ? removal.seq : 0);
  if (batch) {
    askLenders(db, batch);
    countCaptures(db, removal, forgetCaptures(db, batch, true));
  }
  const place = batch ? [batch.queue, batch.hi] : [queue + 1, 0];
  db.run("UPDATE removals SET queue = ?, seq = ? WHERE number = ?", ...place, removal.number);
  return true;
};

const batchAfter = (db: Connection, queue: number, after: number): Batch | undefined => {
  const [batch] = db.all<{ lo: number | null; hi: number; count: number }>(
    `SELECT min(seq) AS lo, max(seq) AS hi, count(*) AS count
     FROM (SELECT seq FROM items WHERE queue = ? AND seq > ? ORDER BY seq LIMIT ${BATCH}) places`,
    queue,
    after,
  );
  return batch?.lo == null ? undefined : { ...batch, queue, lo: batch.lo };
};

/** Answers the captures of these items. A row that does not match its checksum stays as it is: it is not read either. */
const forgetCaptures = (db: Connection, batch: Batch, isWritten: boolean): CaptureRef[] => {
  const rowsOf = (kind: "result" | "retry"): Value[][] => {
    const { table, columnsOf } = { table: FORMATS[kind].table, columnsOf: FORMATS[kind].columnsOf("t") };
    return db
      .arrays<Value[]>(
        `SELECT ${columnsOf} FROM ${table} t WHERE t.queue = ? AND t.seq BETWEEN ? AND ?`,
        batch.queue,
        batch.lo,
        batch.hi,
      )
      .filter((row) => FORMATS[kind].fits(row));
  };
  const results = rowsOf("result")
    .map((row) => FORMATS.result.read(row))
    .filter(({ captures }) => captures.length > 0);
  const retries = rowsOf("retry")
    .map((row) => FORMATS.retry.read(row))
    .flatMap(({ last, ...retry }) => (last && last.captures.length > 0 ? { ...retry, last } : []));
  if (isWritten) {
    const none = { captures: [] };
    writeRecords(
      db,
      "result",
      results.map((result) => ({ ...result, ...none })),
    );
    writeRecords(
      db,
      "retry",
      retries.map((retry) => ({ ...retry, last: { ...retry.last, ...none } })),
    );
  }
  return [...results, ...retries.map(({ last }) => last)].flatMap(({ captures }) => captures);
};

const dropItems = (db: Connection, removal: RemovalRow, batch: Batch): void => {
  countCaptures(db, removal, forgetCaptures(db, batch, false));
  askLenders(db, batch);
  for (const table of ["results", "retries", "borrowed", "fetches", "items"])
    db.run(`DELETE FROM ${table} WHERE queue = ? AND seq BETWEEN ? AND ?`, batch.queue, batch.lo, batch.hi);
  db.run("UPDATE removals SET items = items + ? WHERE number = ?", batch.count, removal.number);
  addWorkSums(db, { "removed items": batch.count });
};

/** What other jobs have collected is theirs, and not counted. */
const countCaptures = (db: Connection, { id, number }: RemovalRow, captures: readonly CaptureRef[]): void => {
  const own = captures.filter(({ blob }) => blob.startsWith(`jobs/${id}/`)).length;
  if (own === 0) return;
  db.run("UPDATE removals SET captures = captures + ? WHERE number = ?", own, number);
  addWorkSums(db, { "removed captures": own });
};

/** In the transaction in which these items go: whoever has kept something for them must look whether it is still needed. */
const askLenders = (db: Connection, { queue, lo, hi }: Batch): void => {
  const lenders = db.all<{ owner: string }>(
    `SELECT DISTINCT b.owner FROM borrowed b WHERE b.queue = ? AND b.seq BETWEEN ? AND ?
       AND EXISTS (SELECT 1 FROM kept_objects k WHERE k.owner = b.owner)`,
    queue,
    lo,
    hi,
  );
  for (const { owner } of lenders) askSweep(db, owner, db.now());
};

const askSweep = (db: Connection, owner: string, dueAt: number): void => {
  db.run(
    `INSERT INTO sweeps (owner, asked, due_at) VALUES (?, 1, ?)
     ON CONFLICT (owner) DO UPDATE SET asked = sweeps.asked + 1,
       due_at = CASE WHEN sweeps.due_at < excluded.due_at THEN sweeps.due_at ELSE excluded.due_at END`,
    owner,
    dueAt,
  );
};

/** All of it is gone. */
export const endRemoval = (db: Connection, { id, number, marked_at }: RemovalRow): void => {
  db.run("UPDATE removals SET step = NULL, queue = 0, seq = 0, counted_to = '' WHERE number = ?", number);
  askSweep(db, id, marked_at + LATE_MS);
};
