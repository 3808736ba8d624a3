import { effectivePerSecond } from "../../model/lane-speed.ts";
import { bookOwnSlots, bookSlots, defaultBurst, lateToleranceMs, type OwnPace } from "../../model/slots.ts";
import type { SlotGrant } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { holdUntil, type LaneRow, laneSpeed, saveSlotBook, slotBook } from "./lane-row.ts";
import type { QueueRow } from "./queue-row.ts";

/** Slots of a lane for one queue, and how they are written down. */
export interface PlannedSlots {
  readonly grant: SlotGrant;
  /** Of a queue with a pace of its own: how long it must wait for its next slot. */
  readonly ownWaitMs?: number;
  save(): void;
}

/** `laneMs`: the lane's interval; 0 only for a queue with a pace of its own. */
export const planSlots = (
  db: Database,
  lane: LaneRow,
  queue: QueueRow,
  laneMs: number,
  count: number,
): PlannedSlots => {
  const now = db.now();
  const { burst } = queue;
  const request = { nowMs: now, count, intervalMs: laneMs, burst, holdUntilMs: holdUntil(lane) };
  const grantOf = (slots: readonly number[], lateMs: number): SlotGrant => ({
    lane: lane.name,
    queue: queue.id,
    delaysMs: slots.map((at) => at - now),
    lateMs,
  });
  const own = ownPace(db, lane, queue);
  if (!own) {
    const { book, slots } = bookSlots(slotBook(lane), request);
    return {
      grant: grantOf(slots, lateToleranceMs(laneMs, burst)),
      save: () => saveSlotBook(db, lane.id, book),
    };
  }
  const { book, slots, tat, againAtMs } = bookOwnSlots(slotBook(lane), own, request);
  const lateMs = laneMs === 0 ? lateToleranceMs(own.intervalMs, own.burst) : lateToleranceMs(laneMs, burst);
  return {
    grant: { ...grantOf(slots, lateMs), isOwn: true },
    ownWaitMs: againAtMs - now,
    save() {
      if (laneMs > 0) saveSlotBook(db, lane.id, book);
      db.run("INSERT OR REPLACE INTO own_slots (queue, lane, tat) VALUES (?, ?, ?)", queue.id, lane.id, tat);
      if (lane.id === queue.lane) db.run("UPDATE queues SET own_next = ? WHERE id = ?", againAtMs, queue.id);
    },
  };
};

/** The pace that a job has asked for, where it is lower than its scraper's. What was learned slows it as it slows the lane. */
const ownPace = (db: Database, lane: LaneRow, queue: QueueRow): OwnPace | undefined => {
  if (queue.own_per_second === null) return undefined;
  const row = db.get<{ tat: number }>(
    "SELECT tat FROM own_slots WHERE queue = ? AND lane = ?",
    queue.id,
    lane.id,
  );
  return {
    tat: row?.tat ?? 0,
    intervalMs: 1000 / effectivePerSecond(queue.own_per_second, laneSpeed(lane).factor),
    burst: Math.min(queue.burst, defaultBurst(queue.own_per_second)),
  };
};

/** How many more of its items may run at once where the job has asked for fewer than its scraper allows; Infinity where it has not. */
export const ownRoom = (db: Database, queue: QueueRow): number => {
  if (queue.own_concurrency === null) return Infinity;
  const { n } = db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM workers w JOIN json_each(w.running) r WHERE r.value ->> 0 = ?1) +
       (SELECT coalesce(sum(l.open), 0) FROM leases l JOIN workers w ON w.name = l.worker WHERE l.queue = ?1 AND l.id > w.pulse_lease) AS n`,
    queue.id,
  )!;
  return queue.own_concurrency - n;
};

export const forgetOwnSlots = (db: Database, job: number): void => {
  db.run("DELETE FROM own_slots WHERE queue IN (SELECT id FROM queues WHERE job = ?)", job);
};
