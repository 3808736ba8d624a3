import type { ItemRef } from "../model/item.ts";
import type { ClaimRequest, WorkerCard } from "../ports/ledger.ts";
import { type Book, want } from "./book.ts";
import { eachPlace } from "./places.ts";
import { type Lease, newRetry, type Queue, type Worker } from "./records.ts";
import { wakeShare } from "./shares.ts";

export const newWorker = (name: string): Worker => ({
  name,
  until: null,
  isAlone: false,
  jobs: null,
  card: null,
  registeredAt: 0,
  leases: [],
  nextLease: 1,
  running: [],
  pulseLease: 1,
  unsettled: [],
  inFlight: {},
  runningIn: {},
  runningBy: {},
  stops: [],
  lastClaim: null,
  lastPulse: 0,
});

/** One that was given up, or has only registered, is not known: it must hear that from its pulse before it takes more. */
export const isKnown = (worker: Worker | undefined): boolean => worker?.until != null;

/** Registering alone makes nobody known: one that was given up and registers again is still given up, until it has heard so. */
export const registerWorker = (book: Book, card: WorkerCard): void => {
  const worker = book.one("worker", card.name) ?? newWorker(card.name);
  book.put("worker", { ...worker, card, registeredAt: book.now });
};

export const claimingWorker = (
  known: Worker | undefined,
  request: ClaimRequest,
  now: number,
  until: number,
): Worker =>
  known && isKnown(known)
    ? { ...known, until }
    : {
        ...newWorker(request.worker),
        // Never a number that it had before it was given up: what it sends late would be taken for its own.
        nextLease: Math.floor(now) * 1024,
        pulseLease: Math.floor(now) * 1024,
        ...(known && { card: known.card, registeredAt: known.registeredAt }),
        until,
        isAlone: request.alone === true,
        jobs: request.jobs ?? null,
      };

/** Items in flight take places of their lane's concurrency until the worker says that they no longer do. */
export const setInFlight = (worker: Worker, inFlight: ReadonlyMap<string, number>): Worker => ({
  ...worker,
  inFlight: Object.fromEntries([...inFlight].filter(([, count]) => count > 0)),
});

/** Should the worker die, these are the suspects, and what it has claimed since. */
export const setRunning = (worker: Worker, running: readonly ItemRef[]): Worker => {
  const clients = new Map(worker.leases.map(({ queue, client }) => [queue, client]));
  const runningIn: Record<string, number> = {};
  const runningBy: Record<string, number> = {};
  for (const { queue } of running) {
    runningIn[queue] = (runningIn[queue] ?? 0) + 1;
    const client = clients.get(queue);
    if (client !== undefined) runningBy[client] = (runningBy[client] ?? 0) + 1;
  }
  return {
    ...worker,
    running: running.flatMap(({ queue, seq }) => [queue, seq]),
    pulseLease: worker.nextLease,
    runningIn,
    runningBy,
  };
};

/** Items that are leased no longer do not run, as far as they were thought to: those that were named, and those claimed since. */
export const stopRunning = (
  worker: Worker,
  ended: readonly (Lease & { readonly seqs: Iterable<number> })[],
): Worker => {
  const runningIn = { ...worker.runningIn };
  const runningBy = { ...worker.runningBy };
  const named = namedRunning(worker);
  for (const { id, queue, client, seqs } of ended)
    for (const seq of seqs) {
      if (!named.delete(`${queue}/${seq}`) && id < worker.pulseLease) continue;
      lower(runningIn, queue);
      lower(runningBy, client);
    }
  return {
    ...worker,
    running: [...named].flatMap((place) => place.split("/").map(Number)),
    runningIn,
    runningBy,
  };
};

/** Queues and places of the items that were running when the worker last said so. */
export const namedRunning = ({ running }: Worker): Set<string> =>
  new Set(running.flatMap((queue, i) => (i % 2 === 0 ? `${queue}/${running[i + 1]}` : [])));

const lower = (counts: Record<string, number>, name: string | number): void => {
  const left = (counts[name] ?? 0) - 1;
  if (left > 0) counts[name] = left;
  else delete counts[name];
};

/** The answer to the worker's last claim was lost: what it brought goes back untouched. The slots that were booked for it pass unused. */
export const takeBackLastClaim = (book: Book, worker: Worker, number: number | undefined): Worker => {
  const { lastClaim } = worker;
  if (number === undefined || lastClaim?.number !== number || lastClaim.leases.length === 0) return worker;
  const lost = worker.leases.filter(({ id }) => lastClaim.leases.includes(id));
  book.need(
    ...lost.flatMap(({ queue, open }) => [
      want("queue", queue),
      ...eachPlace(open).map((seq) => want("retry", queue, seq)),
    ]),
  );
  for (const lease of lost) giveBack(book, lease, [...eachPlace(lease.open)]);
  return {
    ...stopRunning(
      worker,
      lost.map((lease) => ({ ...lease, seqs: eachPlace(lease.open) })),
    ),
    leases: worker.leases.filter(({ id }) => !lastClaim.leases.includes(id)),
    lastClaim: null,
  };
};

/** Items of a lease that were not tried are due at once. The lease itself is changed by the caller. */
export const giveBack = (book: Book, { queue: id }: Lease, seqs: readonly number[]): void => {
  const queue = book.one("queue", id)!;
  for (const seq of seqs) {
    const retry = book.one("retry", id, seq) ?? newRetry(id, seq);
    book.put("retry", { ...retry, state: retry.state === "suspect" ? "suspect" : "queued", dueAt: book.now });
  }
  backInQueue(book, queue, seqs.length, book.now);
};

/** So many items of a queue are in flight no longer, and due at that time. */
export const backInQueue = (book: Book, queue: Queue, count: number, dueAt: number): Queue => {
  wakeShare(book, queue.lane, queue.client, dueAt);
  return book.patch("queue", queue, {
    leased: queue.leased - count,
    dueAt: Math.min(dueAt, queue.dueAt ?? Infinity),
  });
};
