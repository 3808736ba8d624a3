import type { Evidence } from "../model/breaker-evidence.ts";
import { reset } from "../model/breaker-state.ts";
import { coolDownMs } from "../model/breaker.ts";
import type { PauseReason } from "../model/job.ts";
import { type Book, want } from "./book.ts";
import type { Example, Queue } from "./records.ts";
import { wakeLane, wakeShare } from "./shares.ts";
import { forgetStops, rememberHolders } from "./stops.ts";

/** Five probes take half an hour. A site that has not healed by then needs a person, and nobody should wait for it. */
const MAX_PROBES = 5;
/** Held lanes that one event tells of, with their evidence. */
const MOST_TOLD = 10;
const ALL_HELD: PauseReason = { cause: "lanes-held", reason: "all of its lanes are held" };

const nextProbeAt = (now: number, trips: number): number | null =>
  trips > MAX_PROBES ? null : now + coolDownMs(trips);

/** The breaker has tripped: this job's part of the lane stops, with the evidence; others go on. */
export const holdQueue = (book: Book, queue: Queue, tripped: Evidence): void => {
  book.need(
    want("workers"),
    want("lane", queue.lane),
    want("job", queue.job),
    want("queuesOf", queue.job),
    want("sharesOf", queue.lane),
  );
  rememberHolders(book, (lease) => lease.queue === queue.id);
  const trips = queue.trips + 1;
  const lane = book.one("lane", queue.lane)!.name;
  const evidence = { ...tripped, examples: examplesOf(book.list("examples", queue.id, tripped.chart)) };
  book.patch("queue", queue, {
    isClaimable: false,
    held: evidence,
    heldAt: book.now,
    probeAt: tripped.heals ? nextProbeAt(book.now, trips) : null,
    isProbing: false,
    trips,
  });
  wakeLane(book, queue.lane, book.now); // its rate no longer binds the others
  book.tell("lane.held", queue.jobId, { lane, evidence });
  pauseWhenAllHeld(book, queue.job);
};

/** A job none of whose lanes can go on without a person is paused, so that nobody waits for it. */
const pauseWhenAllHeld = (book: Book, number: number): void => {
  const queues = book.list("queuesOf", number);
  if (queues.some(({ open, held, probeAt }) => open > 0 && (held === null || probeAt !== null))) return;
  const job = book.one("job", number)!;
  if (job.state !== "loading" && job.state !== "running") return;
  book.patch("job", job, { state: "paused", paused: { ...ALL_HELD, at: book.now } });
  const held = queues
    .filter((queue) => queue.held !== null)
    .toSorted((a, b) => b.heldAt! - a.heldAt!)
    .slice(0, MOST_TOLD);
  book.need(...held.map(({ lane }) => want("lane", lane)));
  book.tell("job.paused", job.id, {
    ...ALL_HELD,
    held: held.map(({ lane, held: evidence }) => ({ lane: book.one("lane", lane)!.name, evidence })),
  });
};

/** Held lanes that may have healed let a single item through. */
export const openProbes = (book: Book): void => {
  book.each(book.list("dueProbes", book.now), (queue) => {
    book.patch("queue", queue, { isProbing: true, isClaimable: true });
    wakeShare(book, queue.lane, queue.client, book.now);
  });
};

/** The probe's answer: healed, or another and longer cool-down. */
export const answerProbe = (book: Book, id: number, isHealed: boolean): void => {
  const queue = book.known("queue", id)!;
  if (isHealed) return releaseQueue(book, queue);
  const trips = queue.trips + 1;
  book.patch("queue", queue, {
    isProbing: false,
    isClaimable: false,
    probeAt: nextProbeAt(book.now, trips),
    trips,
  });
  pauseWhenAllHeld(book, queue.job);
};

export const releaseQueue = (book: Book, queue: Queue): void => {
  book.patch("queue", queue, {
    held: null,
    heldAt: null,
    probeAt: null,
    isProbing: false,
    trips: 0,
    isDoubtful: false,
    breaker: queue.breaker && reset(queue.breaker),
    isClaimable: true,
  });
  forgetStops(book, (stop) => stop.queue === queue.id);
  wakeShare(book, queue.lane, queue.client, book.now);
  wakeLane(book, queue.lane, book.now);
  if (queue.held !== null)
    book.tell("lane.released", queue.jobId, { lane: book.one("lane", queue.lane)!.name });
};

/** Those with captures first, and the latest. */
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
