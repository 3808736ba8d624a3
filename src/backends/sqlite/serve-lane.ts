import { bookSlots, lateToleranceMs } from "../../model/slots.ts";
import type { ClaimTally } from "./claim-items.ts";
import type { Database } from "./database.ts";
import { intervalMs, laneRow, type LaneRow, saveSlotBook, slotBook } from "./lane-row.ts";
import { places } from "./places.ts";
import type { QueueRow } from "./queue-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { addToHand, handsIn } from "./renew-worker.ts";
import { takeItems } from "./take-items.ts";

/** A client with work in the lane. */
interface Turn {
  readonly weight: number;
  /** Items it has had, by its weight. */
  had: number;
}

interface Backlog extends QueueRow {
  readonly turn: Turn;
  /** Items taken in this claim. */
  given: number;
}

/** With several queues in a lane, each turn is this long: the booking window is shared in small pieces. */
const TURN = 1;

/**
 * Gives the worker what the lane has room for. The room is the least of: what the worker can take, the worker's even part of the
 * lane's concurrency, and the slots that can be booked. Clients take turns by what they have had for their weight.
 */
export const serveLane = (db: Database, tally: ClaimTally, laneNumber: number): void => {
  const lane = laneRow(db, laneNumber);
  const backlogs = backlogsOf(db, lane);
  const mine = tally.jobs ? backlogs.filter((queue) => tally.jobs!.includes(queue.job)) : backlogs;
  const hands = handsIn(db, lane.id, tally.request.worker);
  let { total, own } = hands;
  let live = mine;
  while (live.length > 0 && tally.items.length < tally.request.room) {
    const queue = live.reduce((a, b) => (comesBefore(b, a) ? b : a));
    const room = concurrencyRoom(lane, queue, total, own, tally.workers);
    if (room <= 0) tally.isCrowded = true;
    const want = Math.min(room, tally.request.room - tally.items.length, mine.length > 1 ? TURN : Infinity);
    const given = want > 0 ? grant(db, tally, lane, queue, want) : 0;
    if (given === 0 || queue.probing === 1) live = live.filter((other) => other !== queue);
    queue.given += given;
    queue.turn.had += given / queue.turn.weight;
    total += given;
    own += given;
  }
  const given = own - hands.own;
  if (given > 0) {
    addToHand(db, lane.id, tally.request.worker, given);
    saveTurns(db, lane, backlogs);
  }
  refreshLane(db, lane.id, db.now());
};

const comesBefore = (a: Backlog, b: Backlog): boolean =>
  (a.turn.had - b.turn.had || a.given - b.given || a.id - b.id) < 0;

/** About one booking window: a client may be behind its share by so many slots and still catch up. */
const LARGEST_CREDIT = 64;

/**
 * Who has had least comes first (start-time fair queueing). `lanes.turn` is where the hindmost client with work then stood: one that comes
 * new, or comes back, starts there, so that idle time earns no credit.
 */
const backlogsOf = (db: Database, lane: LaneRow): Backlog[] => {
  const rows = db.all<QueueRow & { readonly weight: number; readonly had: number | null }>(
    `SELECT q.*, c.weight, t.had FROM queues q JOIN clients c ON c.name = q.client
     LEFT JOIN turns t ON t.lane = q.lane AND t.client = q.client
     WHERE q.lane = ? AND q.claimable = 1 AND q.ready_at IS NOT NULL AND q.ready_at <= ? ORDER BY q.ready_at LIMIT 256`,
    lane.id,
    db.now(),
  );
  const most = Math.max(...rows.map((row) => row.had ?? 0));
  const turns = new Map<string, Turn>();
  return rows.map((row) => {
    const { weight, had, client } = row;
    let turn = turns.get(client);
    if (!turn) {
      turn = { weight, had: Math.max(had ?? 0, lane.turn, most - LARGEST_CREDIT / weight) };
      turns.set(client, turn);
    }
    return { ...row, turn, given: 0 };
  });
};

const saveTurns = (db: Database, lane: LaneRow, backlogs: readonly Backlog[]): void => {
  const turns = new Map(backlogs.map(({ client, turn }) => [client, turn]));
  for (const [client, { had }] of turns)
    db.run(
      `INSERT INTO turns (lane, client, had) VALUES (?, ?, ?) ON CONFLICT (lane, client) DO UPDATE SET had = excluded.had`,
      lane.id,
      client,
      had,
    );
  const hindmost = Math.min(...turns.values().map(({ had }) => had));
  db.run("UPDATE lanes SET turn = ? WHERE id = ?", hindmost, lane.id);
};

const concurrencyRoom = (
  lane: LaneRow,
  queue: QueueRow,
  total: number,
  own: number,
  workers: number,
): number => {
  const most = places(lane, queue);
  const share = Math.max(1, Math.ceil(most / workers));
  return Math.min(most - total, share - own);
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
