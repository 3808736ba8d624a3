import type { ItemRef } from "../domain/item.ts";
import type { ClaimRequest, WorkerInfo } from "../ports/ledger.ts";
import type { Transaction } from "./transaction.ts";
import type { Lease, Worker } from "./records.ts";

const newWorker = (name: string): Worker => ({
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
  lastPulse: null,
});

/** One that was given up, or has only registered, is not known: it must hear that from its pulse before it takes more. */
export const isKnown = (worker: Worker | undefined): boolean => worker?.until != null;

/** Registering alone makes nobody known: one that was given up and registers again is still given up, until it has heard so. */
export const registerWorker = (tx: Transaction, card: WorkerInfo): void => {
  const worker = tx.one("worker", card.name) ?? newWorker(card.name);
  tx.put("worker", { ...worker, card, registeredAt: tx.now });
};

export const claimingWorker = (
  tx: Transaction,
  known: Worker | undefined,
  request: ClaimRequest,
  until: number,
): Worker => {
  if (known && isKnown(known)) return { ...known, until };
  // Random, and so never a number that the worker had before it was given up: what it sends late would be taken for its own.
  const lease = Math.floor(tx.random() / 2);
  return {
    ...newWorker(request.worker),
    nextLease: lease,
    pulseLease: lease,
    ...(known && { card: known.card, registeredAt: known.registeredAt }),
    until,
    isAlone: request.alone === true,
    jobs: request.jobs ?? null,
    // What it sent before it was given up may have been counted then.
    ...(request.number !== undefined && { lastPulse: { number: request.number, at: tx.now, reply: null } }),
  };
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

/** Queues and places of the items that were running when the worker last said so. */
export const namedRunning = ({ running }: Worker): Set<string> =>
  new Set(running.flatMap((queue, i) => (i % 2 === 0 ? `${queue}/${running[i + 1]}` : [])));

const lower = (counts: Record<string, number>, name: string | number): void => {
  const left = (counts[name] ?? 0) - 1;
  if (left > 0) counts[name] = left;
  else delete counts[name];
};
