import type { ClaimTally } from "./claim-items.ts";
import type { Database } from "./database.ts";
import { hindmost } from "./fair-turns.ts";
import { takesAll } from "./kind-bits.ts";
import { holdUntil, intervalMs, laneRow, type LaneRow } from "./lane-row.ts";
import { type Backlog, type LaneTurn, nextQueue, readTurns } from "./lane-turns.ts";
import { ownRoom, planSlots } from "./own-pace.ts";
import { places } from "./places.ts";
import type { QueueRow } from "./queue-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { addToHand, handsIn } from "./renew-worker.ts";
import { takeItems } from "./take-items.ts";

/** With several queues in a lane, each turn is this long: the booking window is shared in small pieces. */
const TURN = 1;
/** Where no slots are booked there is no window to share, and longer turns cost less. */
const TURN_UNPACED = 10;
/** Items in one lease: what is lost with it, should its worker be. */
const LARGEST_LEASE = 100;

/**
 * Gives the worker what the lane has room for, to each client as much as its quota of the worker's room allows. The room is the least of: what
 * the worker can take, the worker's even part of the lane's concurrency, and the slots that can be booked. Clients take turns by what they have
 * had for their weight.
 */
export const serveLane = (db: Database, tally: ClaimTally, laneNumber: number): void => {
  const lane = laneRow(db, laneNumber);
  const turns = readTurns(db, tally, lane);
  const here = tally.companions.filter(({ lanes }) => !lanes || lanes.has(lane.name));
  const workersFor = ({ kinds }: QueueRow): number =>
    here.filter((worker) => takesAll(worker.kinds, kinds)).length || 1;
  const hands = handsIn(db, lane.id, tally.request.worker);
  let { total, own } = hands;
  const turnSize = intervalMs(db, lane) === 0 ? TURN_UNPACED : TURN;
  let live = turns;
  while (live.length > 0 && tally.items.length < tally.request.room) {
    const turn = live.reduce((a, b) => (comesBefore(b, a) ? b : a));
    const { share } = turn;
    const { queue, isOnly } = nextQueue(turn);
    const room = Math.min(concurrencyRoom(lane, queue, total, own, workersFor(queue)), ownRoom(db, queue));
    if (room <= 0 || share.room <= 0) tally.isCrowded = true;
    const size = isOnly && live.length === 1 ? LARGEST_LEASE : turnSize;
    const want = Math.min(room, tally.request.room - tally.items.length, size, share.room, share.quota);
    const given = want > 0 ? grant(db, tally, lane, queue, want) : 0;
    if (given === 0 || queue.probing === 1) turn.queues.splice(turn.queues.indexOf(queue), 1);
    charge(turn, queue, given);
    const isOver = turn.queues.length === 0 || share.room <= 0 || share.quota <= 0;
    if (isOver) live = live.filter((other) => other !== turn);
    total += given;
    own += given;
  }
  if (own > hands.own) {
    addToHand(db, lane.id, tally.request.worker, own - hands.own);
    saveTurns(db, lane, turns);
  }
  refreshLane(db, lane.id, db.now());
};

const comesBefore = (a: LaneTurn, b: LaneTurn): boolean =>
  (a.had - b.had || a.given - b.given || a.firstQueue - b.firstQueue) < 0;

/** In the lane and over the workers. */
const charge = (turn: LaneTurn, queue: Backlog, given: number): void => {
  const { share } = turn;
  queue.given += given;
  turn.given += given;
  turn.had += given / turn.weight;
  share.given += given;
  share.had += given / share.weight;
  share.room -= given;
  share.quota -= given;
  share.places -= given;
};

const saveTurns = (db: Database, lane: LaneRow, turns: readonly LaneTurn[]): void => {
  for (const { client, had, given, served } of turns) {
    if (given === 0) continue;
    db.run("UPDATE turns SET had = ? WHERE lane = ? AND client = ?", had, lane.id, client);
    for (const queue of served)
      if (queue.given > 0) db.run("UPDATE queues SET served_at = ? WHERE id = ?", db.now(), queue.id);
  }
  db.run("UPDATE lanes SET turn = ? WHERE id = ?", hindmost(turns), lane.id);
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
  if (interval === 0 && queue.own_per_second === null) {
    if (holdUntil(current) > db.now()) return 0;
    const items = takeItems(db, tally, queue, current, count);
    tally.items.push(...items);
    if (items.length > 0 && !tally.unpaced.includes(lane.name)) tally.unpaced.push(lane.name);
    return items.length;
  }
  const possible = planSlots(db, current, queue, interval, count);
  if (possible.grant.delaysMs.length === 0) {
    if (queue.own_per_second !== null) possible.save();
    return 0;
  }
  const items = takeItems(db, tally, queue, current, possible.grant.delaysMs.length);
  if (items.length === 0) return 0;
  const planned = planSlots(db, current, queue, interval, items.length);
  planned.save();
  tally.items.push(...items);
  tally.slots.push(planned.grant);
  return items.length;
};
