import type { ClientShares, LaneControl, RobotsAnswer, RobotsReply } from "../ports/ledger.ts";
import { heldUntil, laneNamed } from "./lane-pace.ts";
import type { Lane } from "./records.ts";
import { type Transaction, want } from "./transaction.ts";

/** A change by an operator. */
export const controlLane = (tx: Transaction, name: string, to: LaneControl): void => {
  tx.need(want("laneNamed", name), want("service"), want("sharesIn", name), want("queuesInLane", name));
  const lane = laneNamed(tx, name);
  if (to.perSecond !== undefined) tx.patch("lane", lane, { operatorPerSecond: to.perSecond });
  if (to.isReset) forgetLearned(tx, lane);
  const isHeld = to.isHeld ?? (to.isReset ? false : undefined);
  if (isHeld === true && !lane.isHeldByOperator) {
    tx.patch("lane", lane, { isHeldByOperator: true });
    tellJobs(tx, name, true);
  }
  if (isHeld === false && heldUntil(lane) > tx.now) {
    tx.patch("lane", lane, { isHeldByOperator: false, holdUntil: 0, holdReason: null });
    tellJobs(tx, name, false);
  }
  // A held lane had nothing ready: the next claim determines what is ready.
  const clients = new Set(
    tx
      .list("queuesInLane", name)
      .filter(({ open }) => open > 0)
      .map(({ client }) => client),
  );
  for (const share of tx.list("sharesIn", name))
    if (clients.has(share.client) && (share.readyAt === null || share.readyAt > tx.now))
      tx.patch("share", share, { readyAt: tx.now });
};

/** The next slot is one interval from now. Slots within the next second that are already given out are not doubled. */
const forgetLearned = (tx: Transaction, lane: Lane): void => {
  tx.patch("lane", lane, {
    speed: null,
    crawlDelayMs: null,
    crawlUntil: 0,
    tat: tx.now,
    intervalMs: 0,
    spare: [],
    ahead: [],
    ways: {},
    tiers: {},
  });
  for (const queue of tx.list("queuesInLane", lane.name)) {
    const { [lane.id]: _, ...ownSlots } = queue.ownSlots;
    tx.patch("queue", queue, { ownSlots, ownNextAt: 0 });
  }
};

/** Notifies all workers with items in the lane. */
const tellJobs = (tx: Transaction, lane: string, isHeld: boolean): void => {
  const queues = tx
    .list("queuesInLane", lane)
    .filter(({ open }) => open > 0)
    .toSorted((a, b) => a.job - b.job);
  for (const { jobId } of queues)
    tx.tell(isHeld ? "lane.held" : "lane.released", jobId, { lane, by: "operator" });
};

export const setShare = (
  tx: Transaction,
  client: string,
  { weight, maxRunning, itemsPerDay, requestsPerDay, bytesPerDay, costPerDay }: ClientShares,
): void =>
  tx.put("client", {
    name: client,
    weight,
    maxRunning: maxRunning ?? null,
    itemsPerDay: itemsPerDay ?? null,
    requestsPerDay: requestsPerDay ?? null,
    bytesPerDay: bytesPerDay ?? null,
    costPerDay: costPerDay ?? null,
  });

/** One worker fetches it; if that worker does not report back, another one may fetch it after this time. */
const FETCH_MS = 30_000;
const AGAIN_MS = 100;

export const knownRobots = (tx: Transaction, origin: string): RobotsReply | undefined => {
  const kept = tx.one("robots", origin);
  return kept && kept.until > tx.now
    ? { known: { text: kept.text, keepMs: kept.until - tx.now } }
    : undefined;
};

/** If nothing is known: whether this worker may fetch it. */
export const askRobots = (tx: Transaction, origin: string, worker: string): RobotsReply => {
  const known = knownRobots(tx, origin);
  if (known) return known;
  const kept = tx.one("robots", origin) ?? { origin, text: null, until: 0, fetcher: null, fetchUntil: 0 };
  const { fetcher, fetchUntil } = kept;
  if (fetcher !== null && fetcher !== worker && fetchUntil > tx.now) {
    tx.need(want("worker", fetcher));
    if (tx.one("worker", fetcher)?.until != null) return { mayFetch: false, againInMs: AGAIN_MS };
  }
  tx.put("robots", { ...kept, fetcher: worker, fetchUntil: tx.now + FETCH_MS });
  return { mayFetch: true };
};

export const keepRobots = (tx: Transaction, origin: string, { text, keepMs }: RobotsAnswer): void =>
  tx.put("robots", { origin, text, until: tx.now + keepMs, fetcher: null, fetchUntil: 0 });
