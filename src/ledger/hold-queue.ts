import { coolDownMs, type Evidence, reset } from "../domain/breaker.ts";
import type { PauseReason } from "../domain/job.ts";
import { type Transaction, want } from "./transaction.ts";
import type { Example, Queue } from "./records.ts";
import { wakeLane, wakeShare } from "./shares.ts";
import { forgetStops, rememberHolders } from "./workers.ts";

/** Five probes take half an hour. A site that has not recovered by then needs a person, and nobody should wait for it. */
const MAX_PROBES = 5;
/** Maximum number of held lanes in one event, with their evidence. */
const MOST_TOLD = 10;
const ALL_HELD: PauseReason = { cause: "lanes-held", reason: "all of its lanes are held" };

const nextProbeAt = (now: number, trips: number): number | null =>
  trips > MAX_PROBES ? null : now + coolDownMs(trips);

/** The breaker has tripped: this job's items in the lane stop, with the evidence; other jobs continue. */
export const holdQueue = (tx: Transaction, queue: Queue, tripped: Evidence): void => {
  tx.need(
    want("workers"),
    want("lane", queue.lane),
    want("job", queue.job),
    want("queuesOf", queue.job),
    want("sharesOf", queue.lane),
  );
  rememberHolders(tx, (lease) => lease.queue === queue.id);
  const trips = queue.trips + 1;
  const lane = tx.one("lane", queue.lane)!.name;
  const evidence = { ...tripped, examples: examplesOf(tx.list("examples", queue.id, tripped.chart)) };
  tx.patch("queue", queue, {
    isClaimable: false,
    held: evidence,
    heldAt: tx.now,
    probeAt: tripped.heals ? nextProbeAt(tx.now, trips) : null,
    isProbing: false,
    trips,
  });
  wakeLane(tx, queue.lane, tx.now); // its rate no longer limits the others
  tx.tell("lane.held", queue.jobId, { lane, evidence });
  pauseWhenAllHeld(tx, queue.job);
};

/** A job is paused if none of its lanes can continue without a person, so that nobody waits for it. */
const pauseWhenAllHeld = (tx: Transaction, number: number): void => {
  const queues = tx.list("queuesOf", number);
  if (queues.some(({ open, held, probeAt }) => open > 0 && (held === null || probeAt !== null))) return;
  const job = tx.one("job", number)!;
  if (job.state !== "loading" && job.state !== "running") return;
  tx.patch("job", job, { state: "paused", paused: { ...ALL_HELD, at: tx.now } });
  const held = queues
    .filter((queue) => queue.held !== null)
    .toSorted((a, b) => b.heldAt! - a.heldAt!)
    .slice(0, MOST_TOLD);
  tx.need(...held.map(({ lane }) => want("lane", lane)));
  tx.tell("job.paused", job.id, {
    ...ALL_HELD,
    held: held.map(({ lane, held: evidence }) => ({ lane: tx.one("lane", lane)!.name, evidence })),
  });
};

/** Held lanes that may have recovered let a single item through. */
export const openProbes = (tx: Transaction): void => {
  tx.each(tx.list("dueProbes", tx.now), (queue) => {
    tx.patch("queue", queue, { isProbing: true, isClaimable: true });
    wakeShare(tx, queue.lane, queue.client, tx.now);
  });
};

/** The result of the probe: recovered, or another, longer cool-down. */
export const answerProbe = (tx: Transaction, id: number, isHealed: boolean): void => {
  const queue = tx.known("queue", id)!;
  if (isHealed) return releaseQueue(tx, queue);
  const trips = queue.trips + 1;
  tx.patch("queue", queue, {
    isProbing: false,
    isClaimable: false,
    probeAt: nextProbeAt(tx.now, trips),
    trips,
  });
  pauseWhenAllHeld(tx, queue.job);
};

export const releaseQueue = (tx: Transaction, queue: Queue): void => {
  tx.patch("queue", queue, {
    held: null,
    heldAt: null,
    probeAt: null,
    isProbing: false,
    trips: 0,
    isDoubtful: false,
    breaker: queue.breaker && reset(queue.breaker),
    isClaimable: true,
  });
  forgetStops(tx, (stop) => stop.queue === queue.id);
  wakeShare(tx, queue.lane, queue.client, tx.now);
  wakeLane(tx, queue.lane, tx.now);
  if (queue.held !== null) tx.tell("lane.released", queue.jobId, { lane: tx.one("lane", queue.lane)!.name });
};

/** Items with captures first, then the latest. */
export const examplesOf = (found: readonly Example[]) =>
  found
    .toSorted((a, b) => Number(b.captures.length > 0) - Number(a.captures.length > 0) || b.seq - a.seq)
    .map(({ queue, seq, key, failure, captures }) => ({
      queue,
      seq,
      key,
      ...(failure && { kind: failure.kind, detail: failure.detail }),
      captures,
    }));
