import { roomAtMs } from "../../model/slots.ts";
import type { Database } from "./database.ts";
import { intervalMs, laneRow, slotBook } from "./lane-row.ts";

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

/**
 * When the lane can next give an item away; null keeps it out of the claims' index. Call after anything it depends on changed.
 * A lane that was just served queues up behind those that have waited longer.
 */
export const refreshLane = (db: Database, id: number, servedAt = 0): void => {
  const next = db.get<{ ready_at: number; burst: number }>(
    `SELECT ready_at, burst FROM queues
     WHERE lane = ? AND claimable = 1 AND ready_at IS NOT NULL ORDER BY ready_at LIMIT 1`,
    id,
  );
  let readyAt: number | null = null;
  if (next) {
    const lane = laneRow(db, id);
    const interval = intervalMs(db, lane);
    const roomAt = roomAtMs(slotBook(lane), interval, next.burst, db.now());
    readyAt = Math.max(next.ready_at, lane.hold_until, roomAt, servedAt);
  }
  db.run("UPDATE lanes SET ready_at = ? WHERE id = ?", readyAt, id);
};
