import type { ItemRef } from "../domain/item.ts";
import type { ClaimRequest, WorkerInfo } from "../ports/ledger.ts";
import type { Lease, Worker } from "./records.ts";
import type { Transaction } from "./transaction.ts";

const newWorker = (name: string): Worker => ({
  name,
  until: null,
  isAlone: false,
  jobs: null,
  info: null,
  registeredAt: 0,
  leases: [],
  nextLease: 1,
  running: [],
  pulseLease: 1,
  unsettled: [],
  unsettledTiers: [],
  inFlight: {},
  runningIn: {},
  runningBy: {},
  stops: [],
  lastClaim: null,
  lastPulse: null,
});

/** A worker that was given up, or has only registered, is unknown: it must learn that from its pulse before it takes more. */
export const isKnown = (worker: Worker | undefined): boolean => worker?.until != null;

/**
 * Registering alone does not make a worker known: a worker that was given up and registers again stays given up until it has
 * learned so.
 */
export const registerWorker = (tx: Transaction, info: WorkerInfo): void => {
  const worker = tx.one("worker", info.name) ?? newWorker(info.name);
  tx.put("worker", { ...worker, info, registeredAt: tx.now });
};

export const claimingWorker = (
  tx: Transaction,
  known: Worker | undefined,
  request: ClaimRequest,
  until: number,
): Worker => {
  if (known && isKnown(known)) return { ...known, until };
  // Random, and therefore never a number that the worker had before it was given up: late messages would otherwise count as
  // current.
  const lease = Math.floor(tx.random() / 2);
  return {
    ...newWorker(request.worker),
    nextLease: lease,
    pulseLease: lease,
    ...(known && { info: known.info, registeredAt: known.registeredAt }),
    until,
    isAlone: request.alone === true,
    jobs: request.jobs ?? null,
    // What it sent before it was given up may already have been counted.
    ...(request.number !== undefined && { lastPulse: { number: request.number, at: tx.now, reply: null } }),
  };
};

/** Items in flight use places of their lane's concurrency until the worker reports that they have ended. */
export const setInFlight = (worker: Worker, inFlight: ReadonlyMap<string, number>): Worker => ({
  ...worker,
  inFlight: Object.fromEntries([...inFlight].filter(([, count]) => count > 0)),
});

/** If the worker dies, these are the suspects, together with what it has claimed since. */
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

/** Items that are no longer leased are not running, as far as known: those that were named, and those claimed since. */
export const stopRunning = (
  worker: Worker,
  ended: readonly (Lease & { readonly seqs: Iterable<number> })[],
): Worker => {
  const runningIn = { ...worker.runningIn };
  const runningBy = { ...worker.runningBy };
  const named = namedRunning(worker);
  for (const { id, queue, client, seqs } of ended)
    for (const seq of seqs) {
      const isNamed = named.size > 0 && named.delete(`${queue}/${seq}`);
      if (!isNamed && id < worker.pulseLease) continue;
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

/** Queues and places of the items that were running at the worker's last report. */
export const namedRunning = ({ running }: Worker): Set<string> =>
  new Set(running.flatMap((queue, i) => (i % 2 === 0 ? `${queue}/${running[i + 1]}` : [])));

const lower = (counts: Record<string, number>, name: string | number): void => {
  const left = (counts[name] ?? 0) - 1;
  if (left > 0) counts[name] = left;
  else delete counts[name];
};

/** Places of a queue as ascending pairs of first and last: `[3, 7, 9, 9]` is 3 to 7, and 9. */
export type Places = readonly number[];

export const hasPlace = (places: Places, seq: number): boolean => {
  for (let i = 0; i < places.length; i += 2) if (places[i]! <= seq && seq <= places[i + 1]!) return true;
  return false;
};

export const countPlaces = (places: Places): number => {
  let count = 0;
  for (let i = 0; i < places.length; i += 2) count += places[i + 1]! - places[i]! + 1;
  return count;
};

export const placesOf = (seqs: readonly number[]): Places => {
  const pairs: number[] = [];
  for (const seq of seqs.toSorted((a, b) => a - b))
    if (pairs.at(-1) === seq - 1) pairs[pairs.length - 1] = seq;
    else pairs.push(seq, seq);
  return pairs;
};

export function* eachPlace(places: Places): Generator<number> {
  for (let i = 0; i < places.length; i += 2)
    for (let seq = places[i]!; seq <= places[i + 1]!; seq++) yield seq;
}

/** Without these, which must be among them. */
export const withoutPlaces = (places: Places, gone: ReadonlySet<number>): Places => {
  const left: number[] = [];
  for (const seq of eachPlace(places)) if (!gone.has(seq)) left.push(seq);
  return placesOf(left);
};

type Stop = Worker["stops"][number];

/** Before queues stop: workers with items of these queues must be notified. */
export const rememberHolders = (tx: Transaction, isStopped: (lease: Lease) => boolean): void => {
  for (const worker of tx.list("workers")) {
    const held = worker.leases.filter(isStopped);
    if (held.length === 0) continue;
    const queues = new Map(held.map(({ job, queue }) => [queue, { job, queue, isTold: false }]));
    const others = worker.stops.filter(({ queue }) => !queues.has(queue));
    tx.patch("worker", worker, { stops: [...others, ...queues.values()] });
  }
};

/** Whether every worker that had items of the stopped queues knows about it, or is given up. */
export const isStopHeard = (workers: readonly Worker[], job: number, now: number): boolean =>
  !workers.some(({ until, stops }) => (until ?? 0) >= now && stops.some((stop) => stop.job === job));

/** The stopped queues continue. */
export const forgetStops = (tx: Transaction, isOver: (stop: Stop) => boolean): void => {
  for (const worker of tx.list("workers"))
    if (worker.stops.some(isOver))
      tx.patch("worker", worker, { stops: worker.stops.filter((stop) => !isOver(stop)) });
};

/**
 * What the response to a worker's pulse reports: the stopped queues with items leased to it, whether or not it named them. The
 * ledger knows that a response arrived only from the next pulse, which is not sent earlier.
 */
export const tellStops = (
  worker: Worker,
): { readonly queues: readonly number[]; readonly stops: readonly Stop[] } => ({
  queues: worker.stops.map(({ queue }) => queue),
  stops: worker.stops.filter(({ isTold }) => !isTold).map((stop) => ({ ...stop, isTold: true })),
});
