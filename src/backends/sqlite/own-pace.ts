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

/** What an operator lets one machine have, whichever names lead to it. */
export interface AddressPace extends OwnPace {
  readonly lane: LaneRow;
}

/** `laneMs`: the lane's interval; 0 only for a queue with a pace of its own, or where the address has one. */
export const planSlots = (
  db: Database,
  lane: LaneRow,
  queue: QueueRow,
  laneMs: number,
  count: number,
  address?: AddressPace,
): PlannedSlots => {
  const now = db.now();
  const { burst } = queue;
  const holdUntilMs = Math.max(holdUntil(lane), address ? holdUntil(address.lane) : 0);
  const request = { nowMs: now, count, intervalMs: laneMs, burst, holdUntilMs };
  const grantOf = (slots: readonly number[], lateMs: number): SlotGrant => ({
    lane: lane.name,
    queue: queue.id,
    delaysMs: slots.map((at) => at - now),
    lateMs,
  });
  const own = ownPace(db, lane, queue);
  const limits = [own, address].filter((each) => each !== undefined);
  if (limits.length === 0) {
    const { book, slots } = bookSlots(slotBook(lane), request);
    return {
      grant: grantOf(slots, lateToleranceMs(laneMs, burst)),
      save: () => saveSlotBook(db, lane.id, book),
    };
  }
  const { book, slots, tats, againAtMs } = bookOwnSlots(slotBook(lane), limits, request);
  const ownLateMs = own && laneMs === 0 ? lateToleranceMs(own.intervalMs, own.burst) : Infinity;
  const addressLateMs = address ? lateToleranceMs(address.intervalMs, address.burst) : Infinity;
  const lateMs = Math.min(lateToleranceMs(laneMs, burst), ownLateMs, addressLateMs);
  return {
    grant: {
      ...grantOf(slots, lateMs),
      ...(own && { isOwn: true }),
      ...(address && { address: address.lane.name }),
    },
    ownWaitMs: againAtMs - now,
    save() {
      if (laneMs > 0) saveSlotBook(db, lane.id, book);
      if (address) db.run("UPDATE lanes SET tat = ? WHERE id = ?", tats.at(-1)!, address.lane.id);
      if (!own) return;
      const own_slots = "INSERT OR REPLACE INTO own_slots (queue, lane, tat) VALUES (?, ?, ?)";
      db.run(own_slots, queue.id, lane.id, tats[0]!);
      // What the address keeps waiting does not keep the queue from its other hosts.
      if (lane.id === queue.lane && !address)
        db.run("UPDATE queues SET own_next = ? WHERE id = ?", againAtMs, queue.id);
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
