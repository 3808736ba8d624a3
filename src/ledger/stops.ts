import type { Transaction } from "./transaction.ts";
import type { Lease, Worker } from "./records.ts";

type Stop = Worker["stops"][number];

/** Before queues stop: whoever has items of them must hear that they have. */
export const rememberHolders = (tx: Transaction, isStopped: (lease: Lease) => boolean): void => {
  for (const worker of tx.list("workers")) {
    const held = worker.leases.filter(isStopped);
    if (held.length === 0) continue;
    const queues = new Map(held.map(({ job, queue }) => [queue, { job, queue, isTold: false }]));
    const others = worker.stops.filter(({ queue }) => !queues.has(queue));
    tx.patch("worker", worker, { stops: [...others, ...queues.values()] });
  }
};

/** Whether every worker that had a part in what has stopped knows of it, or is given up. */
export const isStopHeard = (workers: readonly Worker[], job: number, now: number): boolean =>
  !workers.some(({ until, stops }) => (until ?? 0) >= now && stops.some((stop) => stop.job === job));

/** What had stopped goes on. */
export const forgetStops = (tx: Transaction, isOver: (stop: Stop) => boolean): void => {
  for (const worker of tx.list("workers"))
    if (worker.stops.some(isOver))
      tx.patch("worker", worker, { stops: worker.stops.filter((stop) => !isOver(stop)) });
};

/**
 * What a worker's pulse has to say: the queues that have stopped with items in its hands, whether or not it named them. That an answer
 * was heard is known only from the next pulse, which is not sent before.
 */
export const tellStops = (
  worker: Worker,
): { readonly queues: readonly number[]; readonly stops: readonly Stop[] } => ({
  queues: worker.stops.map(({ queue }) => queue),
  stops: worker.stops.filter(({ isTold }) => !isTold).map((stop) => ({ ...stop, isTold: true })),
});
