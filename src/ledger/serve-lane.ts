import type { Transaction } from "./transaction.ts";
import type { ClaimTally, ClientTurn } from "./claim.ts";
import { kindBits, takesAll } from "./queues.ts";
import { heldUntil, laneIntervalMs, placesFor, planSlots } from "./lane-pace.ts";
import { MOST_QUEUES } from "./loads.ts";
import type { Lane, Queue, Share } from "./records.ts";
import { hindmost, levelTurns, noteReady, queueReadyAt, type Turn } from "./shares.ts";
import { takeItems, type TakenRun } from "./take-items.ts";

/** With several queues in a lane, each turn is this long: the booking window is shared in small pieces. */
const TURN = 1;
/** Without slots there is no window to share, and longer turns cost less. */
const TURN_UNPACED = 10;
/** Number of items that one queue gets at a time if no other queue waits. */
const LONGEST_TURN = 100;

/** A client with work in a lane. */
interface LaneTurn extends Turn {
  readonly share: Share;
  readonly client: ClientTurn;
  /** The queues that may still give items: their ids, and what they have given in this visit. */
  readonly queues: Map<number, number>;
  readonly firstQueue: number;
  given: number;
}

/**
 * Gives the worker as many items as the lane has room for, and each client as many as its quota of the worker's room allows. The
 * room is the minimum of what the worker can take, the worker's even share of the lane's concurrency, and the slots that can be
 * booked. Clients take turns by what they have received for their weight.
 */
export const serveLane = (tx: Transaction, tally: ClaimTally, lane: Lane): void => {
  const { request } = tally;
  const turns = lane.isHeldByOperator ? [] : laneTurns(tx, tally, lane);
  const inFlight = inFlightIn(tally, lane.name);
  let given = 0;
  let live = turns;
  while (live.length > 0 && tally.count < request.room) {
    const turn = live.reduce((a, b) => (comesBefore(b, a) ? b : a));
    const { client } = turn;
    const { queue, isOnly } = nextQueue(tx, turn);
    const room = Math.min(concurrencyRoom(tally, lane, queue, inFlight, given), ownRoom(tally, queue));
    if (room <= 0 || client.room <= 0) tally.isCrowded = true;
    const turnSize = laneIntervalMs(lane, tx.now, queue) === 0 ? TURN_UNPACED : TURN;
    const size = isOnly && live.length === 1 ? LONGEST_TURN : turnSize;
    const count = Math.min(room, request.room - tally.count, size, client.room, client.quota);
    const got = count > 0 ? grant(tx, tally, lane.id, queue, count) : 0;
    given += got;
    turn.queues.set(queue.id, turn.queues.get(queue.id)! + got);
    if (got === 0 || queue.isProbing) turn.queues.delete(queue.id);
    charge(turn, got);
    if (turn.queues.size === 0 || client.room <= 0 || client.quota <= 0)
      live = live.filter((other) => other !== turn);
  }
  if (given > 0) {
    for (const { share, had, given: got } of turns) if (got > 0) tx.patch("share", share, { had });
    tx.patch("lane", tx.known("lane", lane.id)!, { floor: hindmost(turns) });
  }
  const now = tx.known("lane", lane.id)!;
  for (const share of sharesReadyIn(tx, tally, lane.id))
    noteReady(tx, now, share, tally.queuesOf(lane.id, share.client));
};

const sharesReadyIn = (tx: Transaction, { readyArgs }: ClaimTally, lane: number): Share[] => {
  const shares = readyArgs
    .flatMap((args) => tx.list("readyNeighbours", ...args))
    .filter((one) => one.lane === lane);
  return [...new Map(shares.map((share) => [share.client, share])).values()];
};

const laneTurns = (tx: Transaction, tally: ClaimTally, lane: Lane): LaneTurn[] => {
  const rows = sharesReadyIn(tx, tally, lane.id)
    .filter(({ readyAt }) => readyAt !== null && readyAt <= tx.now)
    .flatMap((share) => {
      const client = tally.clients.get(share.client);
      return client ? [{ share, client, had: share.had, weight: client.weight }] : [];
    });
  return levelTurns(rows, lane.floor).flatMap((row) => {
    const queues = tally
      .queuesOf(lane.id, row.share.client)
      .slice(0, MOST_QUEUES)
      .filter((queue) => isAsked(tx, tally, queue));
    if (queues.length === 0) return [];
    return {
      ...row,
      queues: new Map(queues.map(({ id }) => [id, 0])),
      firstQueue: Math.min(...queues.map(({ id }) => id)),
      given: 0,
    };
  });
};

const isAsked = (tx: Transaction, { jobs, kinds }: ClaimTally, queue: Queue): boolean =>
  queueReadyAt(queue) <= tx.now && (!jobs || jobs.has(queue.job)) && takesAll(kinds, queue.kinds);

const comesBefore = (a: LaneTurn, b: LaneTurn): boolean =>
  (a.had - b.had || a.given - b.given || a.firstQueue - b.firstQueue) < 0;

/** The highest priority first; among equals, the one that was served longest ago. `isOnly`: no other has the same priority. */
const nextQueue = (
  tx: Transaction,
  { queues }: LaneTurn,
): { readonly queue: Queue; readonly isOnly: boolean } => {
  const all = [...queues].map(([id, given]) => ({ queue: tx.known("queue", id)!, given }));
  const best = Math.max(...all.map(({ queue }) => queue.priority));
  const equals = all.filter(({ queue }) => queue.priority === best);
  const { queue } = equals.reduce((a, b) =>
    (b.given - a.given || b.queue.servedAt - a.queue.servedAt || b.queue.id - a.queue.id) < 0 ? b : a,
  );
  return { queue, isOnly: equals.length === 1 };
};

/** In the lane, and over all workers. */
const charge = (turn: LaneTurn, got: number): void => {
  const { client } = turn;
  turn.given += got;
  turn.had += got / turn.weight;
  client.given += got;
  client.had += got / client.weight;
  client.room -= got;
  client.quota -= got;
  client.places -= got;
};

const inFlightIn = ({ peers, request, leases }: ClaimTally, lane: string): { total: number; own: number } => {
  const before = takenWhere(leases, (run) => run.lane === lane);
  const total = peers.reduce((sum, { inFlight }) => sum + (inFlight[lane] ?? 0), before);
  const own = (peers.find(({ name }) => name === request.worker)?.inFlight[lane] ?? 0) + before;
  return { total, own };
};

const takenWhere = (runs: readonly TakenRun[], fits: (run: TakenRun) => boolean): number =>
  runs.reduce((sum, run) => sum + (fits(run) ? run.count : 0), 0);

/** The places of a lane are divided evenly among the workers that serve the same jobs. */
const concurrencyRoom = (
  { peers, request, jobs }: ClaimTally,
  lane: Lane,
  queue: Queue,
  { total, own }: { readonly total: number; readonly own: number },
  given: number,
): number => {
  const asked = jobs && JSON.stringify(request.jobs);
  const workers = peers.filter(
    (peer) =>
      !peer.isAlone &&
      !peer.isDraining &&
      (asked === undefined || peer.jobs === null || JSON.stringify(peer.jobs) === asked) &&
      (peer.lanes === null || peer.lanes.includes(lane.name)) &&
      takesAll(peer.kinds && kindBits(peer.kinds), queue.kinds),
  ).length;
  const most = placesFor(lane, queue);
  const part = Math.max(1, Math.ceil(most / Math.max(1, workers)));
  return Math.min(most - total, part - own) - given;
};

/** How many more of its items may run at the same time, if the job asks for less concurrency than its scraper allows; else Infinity. */
export const ownRoom = ({ peers, leases }: ClaimTally, queue: Queue): number => {
  if (queue.ownConcurrency === null) return Infinity;
  const running = peers.reduce((sum, { runningIn }) => sum + (runningIn[queue.id] ?? 0), 0);
  return queue.ownConcurrency - running - takenWhere(leases, (run) => run.queue.id === queue.id);
};

/** Books slots first and takes as many items: an item never leaves the queue without its first slot. */
const grant = (tx: Transaction, tally: ClaimTally, laneId: number, queue: Queue, count: number): number => {
  const lane = tx.known("lane", laneId)!;
  const most = queue.isProbing ? 1 : count;
  const intervalMs = laneIntervalMs(lane, tx.now, queue);
  if (intervalMs === 0 && queue.ownPerSecond === null) {
    if (heldUntil(lane) > tx.now) return 0;
    const got = takeItems(tx, tally, queue.id, lane, most);
    if (got > 0 && !tally.unpaced.includes(lane.name)) tally.unpaced.push(lane.name);
    return got;
  }
  const possible = planSlots(tx, lane, queue, intervalMs, most);
  if (possible.grant.delaysMs.length === 0) {
    if (queue.ownPerSecond !== null) possible.save();
    return 0;
  }
  const got = takeItems(tx, tally, queue.id, lane, possible.grant.delaysMs.length);
  if (got === 0) return 0;
  const planned = planSlots(tx, tx.known("lane", laneId)!, tx.known("queue", queue.id)!, intervalMs, got);
  planned.save();
  tally.slots.push(planned.grant);
  return got;
};
