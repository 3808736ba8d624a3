import { learn, NOTHING_LEARNED } from "../domain/auto-mode.ts";
import { isDoubtful, seedBreaker, step } from "../domain/breaker.ts";
import { EVERY_ADDRESS } from "../domain/lane-name.ts";
import { onOutcomes } from "../domain/lane-speed.ts";
import { addUse } from "../domain/lane-use.ts";
import { returnSlots } from "../domain/slots.ts";
import type {
  LaneReport,
  OutcomeReport,
  PulseReply,
  PulseReport,
  SlotGrant,
  SlotWish,
  WayReply,
  WayReport,
} from "../ports/ledger.ts";
import { once, repeatedPulse } from "./answers.ts";
import { answerProbe, holdQueue } from "./hold-queue.ts";
import {
  addressPace,
  heldUntil,
  laneIntervalMs,
  laneNamed,
  pacesAddresses,
  planSlots,
  slotBookOf,
  speedOf,
} from "./lane-pace.ts";
import { noteTier, tierReplies } from "./proxy-tiers.ts";
import { type Lane, newRetry, type Queue } from "./records.ts";
import { chargeShare } from "./shares.ts";
import { type Transaction, want, type Want } from "./transaction.ts";
import { isKnown, setInFlight, setRunning, tellStops } from "./workers.ts";

/** If a lane cannot be booked now and does not say when it has room, ask again after this time. */
const WISH_AGAIN_MS = 250;
/** Maximum number of page kinds that a lane remembers. */
const MOST_WAYS = 20;
/** The rules of an origin's robots.txt are valid for a day. */
const CRAWL_DELAY_MS = 24 * 3_600_000;

export interface PulseLimits {
  /** How long a worker may be silent before its leases end. */
  readonly leaseMs: number;
  /** A site's `Retry-After` never holds a lane for longer than this. */
  readonly maxHoldMs: number;
}

export const LIMITS: PulseLimits = { leaseMs: 15_000, maxHoldMs: 3_600_000 };

const lanesIn = (report: PulseReport): Set<string> =>
  new Set([
    ...report.returned.map(({ lane }) => lane),
    ...report.crawlDelays.map(({ lane }) => lane),
    ...report.lanes.map(({ lane }) => lane),
    ...(report.used ?? []).map(({ lane }) => lane),
    ...(report.ways ?? []).map(({ lane }) => lane),
    ...(report.tiers ?? []).map(({ lane }) => lane),
    ...report.inFlight.keys(),
    ...report.refunds.map(({ lane }) => lane),
    ...report.wishes.flatMap(({ lane, address }) => (address === undefined ? [lane] : [lane, address])),
  ]);

const queuesIn = (report: PulseReport): Set<number> =>
  new Set([
    ...report.running.map(({ queue }) => queue),
    ...report.wishes.map(({ queue }) => queue),
    ...report.refunds.map(({ queue }) => queue),
    ...report.outcomes.map(({ queue }) => queue),
  ]);

export const pulseWants = (report: PulseReport): Want[] => [
  want("worker", report.worker),
  ...lanesIn(report)
    .values()
    .flatMap((name) => [want("laneNamed", name), want("sharesIn", name)]),
  ...queuesIn(report)
    .values()
    .map((id) => want("queue", id)),
  ...new Set(report.outcomes.map(({ queue }) => queue)).values().map((id) => want("jobOfQueue", id)),
  ...report.acting.map(({ queue, seq }) => want("retry", queue, seq)),
  ...new Set([...report.wishes, ...report.refunds].map(({ queue }) => queue))
    .values()
    .map((id) => want("clientOfQueue", id)),
  want("laneNamed", EVERY_ADDRESS),
];

/** Renews the worker's leases, books and returns slots, records outcomes, and returns what has stopped. Never changes results. */
export const pulse = (
  tx: Transaction,
  report: PulseReport,
  /** By the ledger's clock: delays of slots count from this time. */
  sentAt: number,
  { leaseMs, maxHoldMs }: PulseLimits,
): PulseReply => {
  const worker = tx.one("worker", report.worker);
  const isAlive = isKnown(worker);
  const repeated = worker && isAlive && repeatedPulse(tx, worker, report.number);
  if (repeated) return repeated;
  // For an unknown worker, nothing is stored that would identify a repeated pulse.
  const id = isAlive || report.number === undefined ? undefined : `${report.worker} ${report.number}`;
  once(tx, id, () => {
    for (const { lane, delaysMs } of report.returned)
      giveBack(
        tx,
        lane,
        delaysMs.map((delay) => sentAt + delay),
      );
    for (const { lane, queue, count } of report.refunds) {
      const of = tx.one("queue", queue);
      if (of) chargeSlots(tx, laneNamed(tx, lane), of, -count);
    }
    for (const { lane, delayMs } of report.crawlDelays) keepCrawlDelay(tx, lane, delayMs);
    for (const [lane, seen] of Map.groupBy(report.lanes, (one) => one.lane))
      adjustLane(tx, lane, seen, maxHoldMs);
    for (const { lane, requests } of report.used ?? []) {
      const known = laneNamed(tx, lane);
      tx.patch("lane", known, addUse(known, requests, tx.now));
    }
    for (const way of report.ways ?? []) learnWay(tx, way);
    tx.each(report.tiers ?? [], (tier) => noteTier(tx, report.worker, tier));
    const byQueue = Map.groupBy(report.outcomes, (one) => one.queue);
    tx.each(byQueue, ([queue, seen]) => watchQueue(tx, queue, seen));
  });
  const told = worker ? tellStops(tx.known("worker", worker.name)!) : { queues: [], stops: [] };
  if (worker && isAlive) {
    for (const { queue, seq } of report.acting)
      tx.put("retry", { ...(tx.one("retry", queue, seq) ?? newRetry(queue, seq)), hasActed: true });
    const renewed = setRunning(
      setInFlight(tx.known("worker", worker.name)!, report.inFlight),
      report.running,
    );
    tx.put("worker", {
      ...renewed,
      until: tx.now + leaseMs,
      stops: told.stops,
      unsettled: report.unsettled.flatMap(({ queue, requests, bytes }) => [queue, requests, bytes]),
      unsettledTiers: report.unsettled.flatMap(({ queue, proxied = [] }) =>
        proxied.map((cost) => ({ queue, ...cost })),
      ),
    });
  }
  const stopped = [...new Set([...stoppedQueues(tx, report), ...told.queues])];
  const slots: SlotGrant[] = [];
  const unpaced = isAlive ? unpacedLanes(tx, report) : [];
  let againInMs = WISH_AGAIN_MS;
  // Hundreds of host names may share one address: if it has no more room, they are not checked one by one.
  const full = new Set<string | undefined>();
  for (const wish of isAlive ? report.wishes : []) {
    if (full.has(wish.address) || stopped.includes(wish.queue)) continue;
    const got = bookHop(tx, wish);
    if (got !== "unpaced" && got.isAddressFull) full.add(wish.address);
    if (got === "unpaced") unpaced.push(wish.lane);
    else if (got.slots.delaysMs.length > 0) slots.push(got.slots);
    if (got !== "unpaced" && got.roomInMs !== undefined) againInMs = Math.min(againInMs, got.roomInMs);
  }
  const ways = learnedWays(tx, report);
  const tiers = tierReplies(tx, report);
  const reply = {
    isAlive,
    slots,
    unpaced,
    stopped,
    againInMs,
    ...pacesAddresses(tx),
    ...(ways.length > 0 && { ways }),
    ...(tiers.length > 0 && { tiers }),
  };
  const { number } = report;
  if (worker && isAlive && number !== undefined)
    tx.patch("worker", worker, { lastPulse: { number, at: tx.now, reply } });
  return reply;
};

const wakeOthers = (tx: Transaction, { id, name }: Lane): void => {
  for (const share of tx.list("sharesIn", name)) {
    const now = tx.known("share", id, share.client)!;
    if (now.readyAt !== null && now.readyAt > tx.now) tx.patch("share", now, { readyAt: tx.now });
  }
};

const giveBack = (tx: Transaction, name: string, slots: readonly number[]): void => {
  const lane = laneNamed(tx, name);
  tx.patch("lane", lane, returnSlots(slotBookOf(lane), slots, tx.now));
  wakeOthers(tx, lane);
};

/** Several hosts may share a lane: the longest delay reported within a day applies. */
const keepCrawlDelay = (tx: Transaction, name: string, delayMs: number): void => {
  const lane = laneNamed(tx, name);
  const known = lane.crawlUntil > tx.now ? (lane.crawlDelayMs ?? 0) : 0;
  tx.patch("lane", lane, { crawlDelayMs: Math.max(known, delayMs), crawlUntil: tx.now + CRAWL_DELAY_MS });
};

const learnWay = (tx: Transaction, { lane: name, key, saw }: WayReport): void => {
  const lane = laneNamed(tx, name);
  const { [key]: known = NOTHING_LEARNED, ...others } = lane.ways;
  const kept = Object.entries(others).slice(1 - MOST_WAYS);
  tx.patch("lane", lane, { ways: { ...Object.fromEntries(kept), [key]: learn(known, saw) } });
};

/** The pages that the worker has reported, each once. */
const learnedWays = (tx: Transaction, { ways = [] }: PulseReport): WayReply[] =>
  [...new Map(ways.map((way) => [`${way.lane} ${way.key}`, way])).values()].flatMap(({ lane, key }) => {
    const state = laneNamed(tx, lane).ways[key];
    return state ? [{ lane, key, state }] : [];
  });

/** A throttle slows the lane down and does not count as an attempt; every response makes the lane a little slower or faster. */
const adjustLane = (tx: Transaction, name: string, seen: readonly LaneReport[], maxHoldMs: number): void => {
  const lane = laneNamed(tx, name);
  const before = speedOf(lane);
  const speed = onOutcomes(before, seen, tx.now);
  if (speed !== before && JSON.stringify(speed) !== JSON.stringify(before)) {
    tx.patch("lane", lane, { speed });
    if (speed.factor > before.factor) wakeOthers(tx, lane);
  }
  const wait = seen.reduce((a, b) => ((b.retryAfterMs ?? 0) > (a.retryAfterMs ?? 0) ? b : a));
  const waitUntil = tx.now + Math.min(wait.retryAfterMs ?? 0, maxHoldMs);
  if (wait.retryAfterMs !== undefined && waitUntil > lane.holdUntil)
    tx.patch("lane", lane, { holdUntil: waitUntil, holdReason: wait.kind });
};

/** All outcomes of a queue at once: a pulse has hundreds of them. */
const watchQueue = (tx: Transaction, id: number, outcomes: readonly OutcomeReport[]): void => {
  const queue = tx.one("queue", id);
  const job = queue && tx.known("job", queue.job);
  if (!job || job.state === "done" || job.state === "cancelled") return;
  const [first, ...others] = outcomes;
  if (queue.held !== null) {
    if (!first || !queue.isProbing || queue.isClaimable) return;
    answerProbe(tx, id, first.result === "done" || first.result === "absent");
    return watchQueue(tx, id, others);
  }
  let state = queue.breaker ?? seedBreaker();
  for (const outcome of outcomes) {
    if (outcome.attempt > 1 && outcome.result !== "done" && outcome.result !== "absent") continue;
    const policy = job.spec.scrapers[outcome.scraper ?? 0]?.policy ?? job.spec.policy;
    const next = step(state, { ...outcome, nowMs: tx.now }, policy);
    state = next.state;
    if (!next.tripped) continue;
    holdQueue(tx, tx.patch("queue", queue, { breaker: state, isDoubtful: isDoubtful(state) }), next.tripped);
    return;
  }
  tx.patch("queue", queue, { breaker: state, isDoubtful: isDoubtful(state) });
};

const unpacedLanes = (tx: Transaction, report: PulseReport): string[] =>
  [...report.inFlight.keys()].filter((name) => {
    const lane = laneNamed(tx, name);
    return heldUntil(lane) <= tx.now && laneIntervalMs(lane, tx.now) === 0;
  });

const stoppedQueues = (tx: Transaction, report: PulseReport): number[] =>
  [...queuesIn(report)].filter((id) => {
    const queue = tx.one("queue", id);
    return !queue || (!queue.isClaimable && !queue.isProbing);
  });

interface Booked {
  readonly slots: SlotGrant;
  readonly roomInMs: number | undefined;
  readonly isAddressFull?: boolean;
}

const bookHop = (
  tx: Transaction,
  { lane: name, queue: id, count, again = 0, address: addressName }: SlotWish,
): "unpaced" | Booked => {
  const queue = tx.one("queue", id)!;
  const lane = laneNamed(tx, name);
  const intervalMs = laneIntervalMs(lane, tx.now, queue);
  const heldMs = heldUntil(lane) - tx.now;
  const address = addressPace(tx, addressName);
  if (intervalMs === 0 && queue.ownPerSecond === null && !address)
    return heldMs > 0
      ? { slots: { lane: name, queue: id, delaysMs: [], lateMs: 0 }, roomInMs: heldMs }
      : "unpaced";
  const planned = planSlots(tx, lane, queue, intervalMs, count, address);
  planned.save();
  const got = planned.grant.delaysMs.length;
  if (got > 0) chargeSlots(tx, laneNamed(tx, name), queue, Math.max(0, got - again));
  const isShort = got < count;
  return {
    slots: planned.grant,
    roomInMs: isShort ? Math.max(1, intervalMs, planned.ownWaitMs) : undefined,
    isAddressFull: planned.isAddressFull,
  };
};

/** Clients share the slots of a lane, including those of hops. */
const chargeSlots = (tx: Transaction, lane: Lane, { id, client }: Queue, count: number): void => {
  const share = tx.list("sharesIn", lane.name).find((one) => one.client === client);
  const { weight } = tx.one("clientOfQueue", id)!;
  chargeShare(tx, lane, share && tx.known("share", lane.id, client), weight, count);
};
