import type { Database } from "../database.ts";
import { sumResults } from "../row-sums.ts";
import { addWorkSums } from "../work-sums.ts";
import { LATE_MS, type RemovalRow } from "./removal-row.ts";

const BATCH = 250;
interface Batch {
  readonly queue: number;
  readonly lo: number;
  readonly hi: number;
  readonly count: number;
}

/** One batch of a job's rows, after its bytes are gone; false when none was left. */
export const dropRows = (db: Database, removal: RemovalRow): boolean => {
  if (removal.what === "pages") return forgetCaptures(db, removal);
  const queue = db.get<{ id: number }>(
    "SELECT id FROM queues WHERE job = ? ORDER BY id LIMIT 1",
    removal.number,
  );
  if (queue) {
    const batch = batchAfter(db, queue.id, 0);
    if (batch) dropItems(db, removal, batch);
    else if (!dropCapped(db, queue.id)) dropQueue(db, queue.id);
    return true;
  }
  return (
    db.run(
      `DELETE FROM item_keys WHERE job = ?1 AND hash IN (SELECT hash FROM item_keys WHERE job = ?1 ORDER BY hash LIMIT ${BATCH})`,
      removal.number,
    ) > 0 ||
    db.run(
      `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE job = ? ORDER BY id LIMIT ${BATCH})`,
      removal.id,
    ) > 0
  );
};

/** Pages that came after the mark are not touched: a job whose pages are being removed takes none. */
const forgetCaptures = (db: Database, removal: RemovalRow): boolean => {
  const queue = db.get<{ id: number }>(
    "SELECT id FROM queues WHERE job = ? AND id >= ? ORDER BY id LIMIT 1",
    removal.number,
    removal.queue,
  );
  if (!queue) return false;
  const batch = batchAfter(db, queue.id, queue.id === removal.queue ? removal.seq : 0);
  if (batch) {
    countCaptures(db, removal, batch);
    askLenders(db, batch);
    db.run(
      "UPDATE results SET captures = NULL WHERE queue = ? AND seq BETWEEN ? AND ?",
      batch.queue,
      batch.lo,
      batch.hi,
    );
    sumResults(db, batch.queue, batch.lo, batch.hi);
  }
  const place = batch ? [batch.queue, batch.hi] : [queue.id + 1, 0];
  db.run("UPDATE removals SET queue = ?, seq = ? WHERE number = ?", ...place, removal.number);
  return true;
};

const batchAfter = (db: Database, queue: number, after: number): Batch | undefined => {
  const batch = db.get<{ lo: number | null; hi: number; count: number }>(
    `SELECT min(seq) AS lo, max(seq) AS hi, count(*) AS count
     FROM (SELECT seq FROM items WHERE queue = ? AND seq > ? ORDER BY seq LIMIT ${BATCH})`,
    queue,
    after,
  )!;
  return batch.lo === null ? undefined : { ...batch, queue, lo: batch.lo };
};

const dropItems = (db: Database, removal: RemovalRow, batch: Batch): void => {
  countCaptures(db, removal, batch);
  askLenders(db, batch);
  for (const table of ["results", "borrowed", "suspects", "fetches", "followers", "items"])
    db.run(`DELETE FROM ${table} WHERE queue = ? AND seq BETWEEN ? AND ?`, batch.queue, batch.lo, batch.hi);
  db.run("UPDATE removals SET items = items + ? WHERE number = ?", batch.count, removal.number);
  addWorkSums(db, { "removed items": batch.count });
};

const dropCapped = (db: Database, queue: number): boolean =>
  db.run(
    `DELETE FROM capped WHERE queue = ?1 AND seq IN (SELECT seq FROM capped WHERE queue = ?1 ORDER BY seq LIMIT ${BATCH})`,
    queue,
  ) > 0;

const dropQueue = (db: Database, queue: number): void => {
  db.run("DELETE FROM own_slots WHERE queue = ?", queue);
  db.run("DELETE FROM queues WHERE id = ?", queue);
  db.run("UPDATE service SET last_queue = max(last_queue, ?)", queue);
};

/** What other jobs have collected is theirs, and not counted. */
const countCaptures = (db: Database, { id, number }: RemovalRow, { queue, lo, hi }: Batch): void => {
  const own = `jobs/${id}/`;
  const { count } = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM results r CROSS JOIN json_each(r.captures) c
     WHERE r.queue = ? AND r.seq BETWEEN ? AND ? AND r.captures IS NOT NULL AND substr(c.value ->> 'blob', 1, ?) = ?`,
    queue,
    lo,
    hi,
    own.length,
    own,
  )!;
  db.run("UPDATE removals SET captures = captures + ? WHERE number = ?", count, number);
  addWorkSums(db, { "removed captures": count });
};

/** In the transaction in which these items go: whoever has kept something for them must look whether it is still needed. */
const askLenders = (db: Database, { queue, lo, hi }: Batch): void => {
  const lenders = db.all<{ job: string }>(
    "SELECT DISTINCT owner AS job FROM borrowed WHERE queue = ? AND seq BETWEEN ? AND ?",
    queue,
    lo,
    hi,
  );
  for (const { job } of lenders)
    if (db.get("SELECT 1 FROM kept_objects WHERE owner = ? LIMIT 1", job)) askSweep(db, job, db.now());
};

const askSweep = (db: Database, owner: string, dueAt: number): void => {
  db.run(
    `INSERT INTO sweeps (owner, asked, due_at) VALUES (?, 1, ?)
     ON CONFLICT (owner) DO UPDATE SET asked = asked + 1, due_at = min(due_at, excluded.due_at)`,
    owner,
    dueAt,
  );
};

/** All of it is gone. */
export const endRemoval = (db: Database, { id, number, marked_at }: RemovalRow): void => {
  db.run("UPDATE removals SET step = NULL, queue = 0, seq = 0, counted_to = '' WHERE number = ?", number);
  askSweep(db, id, marked_at + LATE_MS);
};
