import { isDoubtful, step } from "../../model/breaker.ts";
import { type BreakerState, seedBreaker } from "../../model/breaker-state.ts";
import { onOutcomes } from "../../model/lane-speed.ts";
import { returnSlots } from "../../model/slots.ts";
import type {
  LaneReport,
  OutcomeReport,
  PulseReply,
  PulseReport,
  SlotGrant,
  SlotRefund,
  SlotWish,
} from "../../ports/ledger.ts";
import { addressPace, pacesAddresses } from "./address-pace.ts";
import { fromNow } from "./claim-items.ts";
import type { Database } from "./database.ts";
import { answerProbe, holdQueue } from "./hold-queue.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { holdUntil, intervalMs, laneId, laneRow, laneSpeed, saveSlotBook, slotBook } from "./lane-row.ts";
import { chargeLane } from "./lane-turns.ts";
import { planSlots } from "./own-pace.ts";
import { isProbeOut, queueRow } from "./queue-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { nameRunning, renewWorker, setHands } from "./renew-worker.ts";
import { tellStops } from "./stops.ts";
import { keepUnsettled } from "./unsettled-costs.ts";

/** A lane that cannot be booked now is asked again after this, unless it says when it has room. */
const WISH_AGAIN_MS = 250;

/** Never results, only lanes and leases: forgetting it in a power cut does no harm, except for acts, which are synced. */
export const pulse = async (db: Database, report: PulseReport): Promise<PulseReply> => {
  const sentAt = db.now();
  const { reply, now } = await db.write(() => {
    const isAlive = renewWorker(db, report.worker);
    if (isAlive) remember(db, report);
    for (const { lane, delaysMs } of report.returned) giveBack(db, lane, delaysMs, sentAt);
    for (const refund of report.refunds) refundSlots(db, refund);
    for (const { lane, delayMs } of report.crawlDelays) keepCrawlDelay(db, lane, delayMs);
    for (const [lane, seen] of Map.groupBy(report.lanes, (one) => one.lane)) adjustLane(db, lane, seen);
    watchOutcomes(db, report.outcomes);
    const stopped = [...new Set([...stoppedQueues(db, report), ...tellStops(db, report.worker)])];
    const slots: SlotGrant[] = [];
    const unpaced = isAlive ? unpacedLanes(db, report) : [];
    let againInMs = WISH_AGAIN_MS;
    // Hundreds of names may lead to one address: once it has no more room, they are not looked at one by one.
    const full = new Set<string | undefined>();
    for (const wish of report.wishes) {
      if (!isAlive || full.has(wish.address) || stopped.includes(wish.queue)) continue;
      const got = bookHop(db, wish);
      if (got !== "unpaced" && got.isAddressFull) full.add(wish.address);
      if (got === "unpaced") unpaced.push(wish.lane);
      else if (got.slots.delaysMs.length > 0) slots.push(got.slots);
      if (got !== "unpaced" && got.roomInMs !== undefined) againInMs = Math.min(againInMs, got.roomInMs);
    }
    return { reply: { isAlive, slots, unpaced, stopped, againInMs, ...pacesAddresses(db) }, now: db.now() };
  }, report.acting.length > 0);
  return { ...reply, slots: fromNow(reply.slots, db.now() - now) };
};

const remember = (db: Database, report: PulseReport): void => {
  nameRunning(db, report.worker, report.running);
  keepUnsettled(db, report.worker, report.unsettled);
  for (const { queue, seq } of report.acting)
    db.run("UPDATE items SET acted = 1 WHERE queue = ? AND seq = ?", queue, seq);
  setHands(db, report.worker, report.inHand);
};

/** Several hosts may share a lane: the longest delay that was told within a day holds. */
const keepCrawlDelay = (db: Database, lane: string, delayMs: number): void => {
  const now = db.now();
  db.run(
    `UPDATE lanes SET crawl_delay_ms = CASE WHEN crawl_until > ? THEN max(crawl_delay_ms, ?) ELSE ? END, crawl_until = ? WHERE id = ?`,
    now,
    delayMs,
    delayMs,
    now + 24 * 3_600_000,
    laneId(db, lane),
  );
};

/** Delays count from when the pulse was sent: from its turn on, they would lie too late, beside slots that are booked there. */
const giveBack = (db: Database, name: string, delaysMs: readonly number[], sentAt: number): void => {
  const lane = laneRow(db, laneId(db, name));
  const slots = delaysMs.map((delay) => sentAt + delay);
  saveSlotBook(db, lane.id, returnSlots(slotBook(lane), slots, db.now()));
  refreshLane(db, lane.id);
};

const refundSlots = (db: Database, { lane, queue, count }: SlotRefund): void => {
  const client = queueRow(db, queue)?.client;
  if (client !== undefined) chargeLane(db, laneId(db, lane), client, -count);
};

/** A throttle moves the lane, not the item's attempts; every answer makes the lane a little slower or faster. */
const adjustLane = (db: Database, name: string, seen: readonly LaneReport[]): void => {
  const lane = laneRow(db, laneId(db, name));
  const now = db.now();
  const before = laneSpeed(lane);
  const speed = onOutcomes(before, seen, now);
  const isChanged = JSON.stringify(speed) !== JSON.stringify(before);
  if (isChanged) db.run("UPDATE lanes SET speed = ? WHERE id = ?", JSON.stringify(speed), lane.id);
  const wait = seen.reduce((a, b) => ((b.retryAfterMs ?? 0) > (a.retryAfterMs ?? 0) ? b : a));
  const waitUntil = now + Math.min(wait.retryAfterMs ?? 0, db.maxHoldMs);
  const isHeld = wait.retryAfterMs !== undefined && waitUntil > lane.hold_until;
  if (isHeld)
    db.run("UPDATE lanes SET hold_until = ?, hold_reason = ? WHERE id = ?", waitUntil, wait.kind, lane.id);
  if (isChanged || isHeld) refreshLane(db, lane.id);
};

const watchOutcomes = (db: Database, outcomes: readonly OutcomeReport[]): void => {
  for (const [queue, seen] of Map.groupBy(outcomes, (one) => one.queue)) watchQueue(db, queue, seen);
};

/** The rows are read once for all outcomes of a queue: there are hundreds of them in a pulse. */
const watchQueue = (db: Database, id: number, outcomes: readonly OutcomeReport[]): void => {
  const queue = queueRow(db, id);
  const job = queue && db.get<JobRow>("SELECT * FROM jobs WHERE number = ?", queue.job);
  if (!job || job.state === "done" || job.state === "cancelled") return;
  const [first, ...others] = outcomes;
  if (queue.held !== null) {
    if (!first || !isProbeOut(queue)) return;
    answerProbe(db, id, first.result === "done" || first.result === "absent");
    return watchQueue(db, id, others);
  }
  const { scrapers, policy } = readSpec(job.spec);
  let state = queue.breaker === null ? seedBreaker() : (JSON.parse(queue.breaker) as BreakerState);
  for (const outcome of outcomes) {
    if (outcome.attempt > 1 && outcome.result !== "done" && outcome.result !== "absent") continue;
    const own = scrapers[outcome.scraper ?? 0]?.policy ?? policy;
    const next = step(state, { ...outcome, nowMs: db.now() }, own);
    state = next.state;
    if (!next.tripped) continue;
    saveBreaker(db, id, state);
    holdQueue(db, queue, { ...next.tripped });
    return;
  }
  saveBreaker(db, id, state);
};

const saveBreaker = (db: Database, queue: number, state: BreakerState): void => {
  db.run(
    "UPDATE queues SET breaker = ?, doubtful = ? WHERE id = ?",
    JSON.stringify(state),
    isDoubtful(state) ? 1 : 0,
    queue,
  );
};

const unpacedLanes = (db: Database, report: PulseReport): string[] => {
  const now = db.now();
  return [...report.inHand.keys()].filter((name) => {
    const lane = laneRow(db, laneId(db, name));
    return holdUntil(lane) <= now && intervalMs(db, lane) === 0;
  });
};

const stoppedQueues = (db: Database, report: PulseReport): number[] => {
  const asked = new Set([
    ...report.running.map((item) => item.queue),
    ...report.wishes.map((wish) => wish.queue),
  ]);
  return [...asked].filter((id) => {
    const queue = queueRow(db, id);
    return !queue || (queue.claimable === 0 && queue.probing === 0);
  });
};

interface Booked {
  readonly slots: SlotGrant;
  readonly roomInMs: number | undefined;
  readonly isAddressFull?: boolean;
}

const bookHop = (
  db: Database,
  { lane: name, queue: queueId, count, again = 0, address: addressName }: SlotWish,
): "unpaced" | Booked => {
  const queue = queueRow(db, queueId)!;
  const lane = laneRow(db, laneId(db, name));
  // A host that no job has in its inputs has no rate of its own: it is spared as the job's own site is.
  const interval = intervalMs(db, lane, queue.per_second);
  const heldMs = holdUntil(lane) - db.now();
  const address = addressPace(db, addressName);
  if (interval === 0 && queue.own_per_second === null && !address)
    return heldMs > 0
      ? { slots: { lane: name, queue: queueId, delaysMs: [], lateMs: 0 }, roomInMs: heldMs }
      : "unpaced";
  const planned = planSlots(db, lane, queue, interval, count, address);
  planned.save();
  const { grant, ownWaitMs = 0 } = planned;
  const got = grant.delaysMs.length;
  if (got > 0) {
    chargeLane(db, lane.id, queue.client, Math.max(0, got - again));
    refreshLane(db, lane.id);
  }
  const isShort = got < count;
  return {
    slots: grant,
    roomInMs: isShort ? Math.max(1, interval, ownWaitMs) : undefined,
    isAddressFull: isShort && address !== undefined && queue.own_per_second === null && ownWaitMs > 0,
  };
};
