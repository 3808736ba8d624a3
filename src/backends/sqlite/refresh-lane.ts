import { roomAtMs } from "../../model/slots.ts";
import type { Database } from "./database.ts";
import { holdUntil, intervalMs, laneRow, slotBook } from "./lane-row.ts";

/** When a queue's next item can be claimed: at once while fresh ones are left, else when the first waiting one is due. */
export const refreshQueue = (db: Database, queue: number): void => {
  db.run(
    `UPDATE queues SET ready_at = CASE
       WHEN EXISTS (SELECT 1 FROM items WHERE items.queue = queues.id AND seq > queues.cursor) THEN 0
       ELSE (SELECT min(due_at) FROM items WHERE items.queue = queues.id AND due_at IS NOT NULL) END
     WHERE id = ?`,
    queue,
  );
};

interface NextItem {
  readonly client: string;
  readonly ready_at: number;
  readonly burst: number;
}

/**
 * When the lane can next give an item of each client away; null keeps it out of the claims' index. Call after anything it depends on
 * changed. A lane that was just served queues up behind those that have waited longer.
 */
export const refreshLane = (db: Database, id: number, servedAt = 0): void => {
  const known = new Map(
    db
      .all<{ client: string; ready_at: number | null }>(
        "SELECT client, ready_at FROM turns WHERE lane = ?",
        id,
      )
      .map((row) => [row.client, row.ready_at]),
  );
  // `burst` is that of the row with the least `ready_at`.
  const nexts = db.all<NextItem>(
    `SELECT client, min(max(ready_at, own_next)) AS ready_at, burst FROM queues
     WHERE lane = ? AND claimable = 1 AND ready_at IS NOT NULL GROUP BY client`,
    id,
  );
  const readyAts = nexts.length > 0 ? readyTimes(db, id, nexts, servedAt) : new Map<string, number | null>();
  for (const [client, before] of known)
    if (before !== null && !readyAts.has(client)) setReady(db, id, client, null);
  for (const [client, readyAt] of readyAts)
    if (!known.has(client) || known.get(client) !== readyAt) setReady(db, id, client, readyAt);
};

const readyTimes = (
  db: Database,
  id: number,
  nexts: readonly NextItem[],
  servedAt: number,
): Map<string, number | null> => {
  const lane = laneRow(db, id);
  const heldUntil = holdUntil(lane);
  const [interval, book, now] = [intervalMs(db, lane), slotBook(lane), db.now()];
  return new Map(
    nexts.map(({ client, ready_at, burst }) => {
      const roomAt = roomAtMs(book, interval, burst, now);
      return [client, heldUntil === Infinity ? null : Math.max(ready_at, heldUntil, roomAt, servedAt)];
    }),
  );
};

const setReady = (db: Database, lane: number, client: string, readyAt: number | null): void => {
  db.run(
    `INSERT INTO turns (lane, client, ready_at) VALUES (?, ?, ?)
     ON CONFLICT (lane, client) DO UPDATE SET ready_at = excluded.ready_at`,
    lane,
    client,
    readyAt,
  );
};

/**
 * All lanes of a job, in a few statements however many they are. What may be ready counts as ready, and the next claim that comes there finds
 * out when it really is; what has nothing to give is taken out at once, so that no claim comes in vain.
 */
export const refreshLanesOf = (db: Database, job: number): void => {
  const now = db.now();
  db.run(
    `INSERT INTO turns (lane, client, ready_at) SELECT lane, client, ?1 FROM queues WHERE job = ?2 AND claimable = 1 AND ready_at IS NOT NULL
     ON CONFLICT (lane, client) DO UPDATE SET ready_at = min(coalesce(turns.ready_at, ?1), ?1)`,
    now,
    job,
  );
  db.run(
    `UPDATE turns SET ready_at = NULL WHERE ready_at IS NOT NULL AND (lane, client) IN (SELECT lane, client FROM queues WHERE job = ?)
       AND NOT EXISTS (SELECT 1 FROM queues q WHERE q.lane = turns.lane AND q.client = turns.client AND q.claimable = 1 AND q.ready_at IS NOT NULL)`,
    job,
  );
  // The job's rate no longer binds the lanes, or binds them again: also for the others there.
  db.run(
    "UPDATE turns SET ready_at = ?1 WHERE ready_at > ?1 AND lane IN (SELECT lane FROM queues WHERE job = ?2)",
    now,
    job,
  );
};
