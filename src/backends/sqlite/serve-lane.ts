import { effectiveConcurrency } from "../../model/lane-speed.ts";
import { bookSlots, lateToleranceMs } from "../../model/slots.ts";
import type { ClaimTally } from "./claim-items.ts";
import type { Database } from "./database.ts";
import { intervalMs, laneRow, laneSpeed, type LaneRow, saveSlotBook, slotBook } from "./lane-row.ts";
import type { QueueRow } from "./queue-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { addToHand } from "./renew-worker.ts";
import { takeItems } from "./take-items.ts";

interface Backlog extends QueueRow {
  readonly weight: number;
  had: number;
}

/** With several clients in a lane, each turn is this long: the booking window is shared in small pieces. */
const TURN = 1;

/**
 * Gives the worker what the lane has room for. The room is the least of: what the worker can take, the worker's even part of the
 * lane's concurrency, and the slots that can be booked. Clients take turns by what they have had for their weight.
 */
export const serveLane = (db: Database, tally: ClaimTally, laneNumber: number): void => {
  const lane = laneRow(db, laneNumber);
  const backlogs = backlogsOf(db, lane);
  const mine = backlogs.filter((queue) => isMine(db, tally, queue));
  if (mine.length === 0) return;
  const hands = db.get<{ total: number; own: number }>(
    `SELECT coalesce(sum(count), 0) AS total, coalesce(sum(count) FILTER (WHERE worker = ?), 0) AS own FROM hands WHERE lane = ?`,
    tally.request.worker,
    lane.id,
  )!;
  let { total, own } = hands;
  let live = mine;
  while (live.length > 0 && tally.items.length < tally.request.room) {
    const queue = live.reduce((a, b) => (b.had < a.had || (b.had === a.had && b.id < a.id) ? b : a));
    const room = concurrencyRoom(lane, queue, total, own, tally.workers);
    if (room <= 0) tally.isCrowded = true;
    const want = Math.min(room, tally.request.room - tally.items.length, mine.length > 1 ? TURN : Infinity);
    const given = want > 0 ? grant(db, tally, lane, queue, want) : 0;
    if (given === 0 || queue.probing === 1) live = live.filter((other) => other !== queue);
    queue.had += given / queue.weight;
    total += given;
    own += given;
  }
  const given = own - hands.own;
  if (given > 0) {
    addToHand(db, lane.id, tally.request.worker, given);
    for (const { client, had } of mine)
      db.run(
        `INSERT INTO turns (lane, client, had) VALUES (?, ?, ?) ON CONFLICT (lane, client) DO UPDATE SET had = excluded.had`,
        lane.id,
        client,
        had,
      );
  }
  refreshLane(db, lane.id, db.now());
};

/** A client that comes back after a pause starts level with the others: idle time earns no credit. */
const backlogsOf = (db: Database, lane: LaneRow): Backlog[] => {
  const rows = db.all<Omit<Backlog, "had"> & { had: number | null }>(
    `SELECT q.*, c.weight, t.had FROM queues q JOIN clients c ON c.name = q.client
     LEFT JOIN turns t ON t.lane = q.lane AND t.client = q.client
     WHERE q.lane = ? AND q.claimable = 1 AND q.ready_at IS NOT NULL AND q.ready_at <= ? ORDER BY q.ready_at LIMIT 256`,
    lane.id,
    db.now(),
  );
  const most = Math.max(0, ...rows.map((row) => row.had ?? 0));
  const least = Math.min(most, ...rows.map((row) => row.had ?? most));
  return rows.map((row) => ({ ...row, had: Math.max(row.had ?? least, most - LARGEST_CREDIT / row.weight) }));
};

/** About one booking window: a client may be behind its share by so many slots and still catch up. */
const LARGEST_CREDIT = 64;

const isMine = (db: Database, tally: ClaimTally, queue: QueueRow): boolean => {
  const { jobs } = tally.request;
  if (!jobs) return true;
  const job = db.get<{ id: string }>("SELECT id FROM jobs WHERE number = ?", queue.job)!;
  return jobs.includes(job.id);
};

const concurrencyRoom = (
  lane: LaneRow,
  queue: QueueRow,
  total: number,
  own: number,
  workers: number,
): number => {
  const pace = { perSecond: queue.per_second ?? Infinity, concurrency: queue.concurrency };
  const places = effectiveConcurrency(pace, laneSpeed(lane).factor);
  const share = Math.max(1, Math.ceil(places / workers));
  return Math.min(places - total, share - own);
};

/** Books slots first and takes as many items: an item never leaves the queue without its first slot. */
const grant = (db: Database, tally: ClaimTally, lane: LaneRow, queue: QueueRow, want: number): number => {
  const current = laneRow(db, lane.id);
  const count = queue.probing === 1 ? 1 : want;
  const interval = intervalMs(db, current);
  const now = db.now();
  if (interval === 0) {
    if (current.hold_until > now) return 0;
    const items = takeItems(db, tally.request.worker, queue, current, count);
    tally.items.push(...items);
    if (items.length > 0 && !tally.unpaced.includes(lane.name)) tally.unpaced.push(lane.name);
    return items.length;
  }
  const pace = { nowMs: now, intervalMs: interval, burst: queue.burst, holdUntilMs: current.hold_until };
  const possible = bookSlots(slotBook(current), { ...pace, count }).slots.length;
  if (possible === 0) return 0;
  const items = takeItems(db, tally.request.worker, queue, current, possible);
  if (items.length === 0) return 0;
  const booked = bookSlots(slotBook(current), { ...pace, count: items.length });
  saveSlotBook(db, lane.id, booked.book);
  tally.items.push(...items);
  tally.slots.push({
    lane: lane.name,
    delaysMs: booked.slots.map((at) => at - now),
    lateMs: lateToleranceMs(interval, queue.burst),
  });
  return items.length;
};
