import type { Failure } from "../domain/failure.ts";
import { afterDeathAlone } from "../domain/retry.ts";
import type { ReapReply, ReapRequest } from "../ports/ledger.ts";
import { addSpending, charge, chargeWants } from "./charge.ts";
import { endJobWhenDone, OVER_BUDGET } from "./end-job.ts";
import { addFailure, type FailedItem, noteFailures, tellFailed } from "./failures.ts";
import { answerWants, freshWants, leaveFresh } from "./fresh-notes.ts";
import { newRetry, type Retry, type Worker } from "./records.ts";
import { wakeLane, wakeShare } from "./shares.ts";
import { spendBudget } from "./spend-budget.ts";
import { type Transaction, want } from "./transaction.ts";
import { eachPlace, namedRunning } from "./workers.ts";

type Cause = NonNullable<ReapRequest["cause"]>;
const SILENT: Cause = { blame: "unknown", detail: "the worker fell silent" };

export const NOBODY: ReapReply = { workers: 0, suspects: 0, returned: 0 };

interface LeasedItem {
  readonly lease: number;
  readonly queue: number;
  readonly seq: number;
  readonly job: number;
}

/**
 * Ends the leases of a worker. Items that may have been running become suspects; the others go back to the queue. Without a
 * cause, the worker stopped normally and has no items left: it is not lost.
 */
export const reapWorker = (tx: Transaction, name: string, known: Cause | undefined): ReapReply => {
  const worker = tx.one("worker", name);
  if (!worker || worker.until === null) return NOBODY;
  const cause = known ?? SILENT;
  const leased = worker.leases.flatMap(({ id, queue, job, open }) =>
    [...eachPlace(open)].map((seq): LeasedItem => ({ lease: id, queue, seq, job })),
  );
  load(tx, worker, leased);
  const running = namedRunning(worker);
  const counts = { suspects: 0, returned: 0 };
  const failed: (FailedItem & { readonly job: number })[] = [];
  tx.each(leased, (item) => {
    const { queue, seq } = item;
    const retry = tx.one("retry", queue, seq) ?? newRetry(queue, seq);
    const job = tx.known("job", item.job)!;
    const fail = (failure: Failure): void =>
      void failed.push({ ...endLost(tx, item, retry, worker.name, failure), job: item.job });
    if (retry.hasActed) fail(actedFailure(cause));
    else if (job.spentAt !== null) fail(OVER_BUDGET);
    else if (job.state === "cancelled") cancelLost(tx, item, retry);
    else if (worker.isAlone) diedAlone(tx, item, retry, cause, fail);
    else if (item.lease >= worker.pulseLease || running.has(`${queue}/${seq}`)) {
      tx.put("retry", { ...retry, state: "suspect", dueAt: tx.now });
      counts.suspects++;
    } else {
      tx.put("retry", { ...retry, state: "queued", dueAt: tx.now });
      backToQueue(tx, queue);
      counts.returned++;
    }
    if (tx.one("queue", queue)!.freshness) leaveFresh(tx, item);
  });
  tx.count("lost workers", known || leased.length > 0 ? 1 : 0);
  tx.count("lost leases", worker.leases.length);
  tx.count("suspect items", counts.suspects);
  for (const [job, some] of Map.groupBy(failed, (one) => one.job))
    tellFailed(tx, tx.known("job", job)!.id, some);
  tx.drop("worker", worker.name);
  const byQueue = Map.groupBy(leased, (item) => item.queue);
  tx.each(byQueue, ([id, some]) => reopen(tx, id, some.length));
  // Runs after its items are back: a budget that this uses up counts leased items, and these no longer are.
  const charged = chargeUnsettled(tx, worker);
  tx.each(new Set([...leased.map((item) => item.job), ...charged]), (job) => endJobWhenDone(tx, job));
  return { workers: 1, ...counts };
};

const load = (
  tx: Transaction,
  { unsettled, unsettledTiers }: Worker,
  leased: readonly LeasedItem[],
): void => {
  const queues = new Set(leased.map(({ queue }) => queue));
  for (let i = 0; i < unsettled.length; i += 3) queues.add(unsettled[i]!);
  const proxied = new Set(unsettledTiers.map(({ queue }) => queue));
  tx.need(
    ...queues.values().flatMap((queue) => chargeWants(queue, proxied.has(queue))),
    ...queues
      .values()
      .flatMap((queue) => [want("queue", queue), want("jobOfQueue", queue), want("shareOfQueue", queue)]),
    ...leased.flatMap(({ queue, seq }) => [want("item", queue, seq), want("retry", queue, seq)]),
  );
  const fresh = leased.filter(({ queue }) => tx.one("queue", queue)!.freshness);
  tx.need(...freshWants(fresh));
  tx.need(...fresh.flatMap((item) => answerWants(tx, item)));
};

const backToQueue = (tx: Transaction, id: number): void => {
  const queue = tx.known("queue", id)!;
  tx.patch("queue", queue, { dueAt: Math.min(tx.now, queue.dueAt ?? Infinity) });
};

/** A lost probe says nothing about the site: it is let through again. */
const reopen = (tx: Transaction, id: number, count: number): void => {
  const queue = tx.known("queue", id)!;
  const now = tx.patch("queue", queue, { isProbing: false, leased: queue.leased - count });
  if (now.dueAt !== null) wakeShare(tx, now.lane, now.client, tx.now);
  if (now.open === 0) wakeLane(tx, now.lane, tx.now);
};

/** It will not be tried again: with this due time, it counts as cancelled. */
const cancelLost = (tx: Transaction, { queue: id, job: number }: LeasedItem, retry: Retry): void => {
  tx.put("retry", { ...retry, state: "queued", dueAt: tx.now });
  const queue = tx.known("queue", id)!;
  tx.patch("queue", queue, { open: queue.open - 1 });
  const job = tx.known("job", number)!;
  tx.patch("job", job, { cancelled: job.cancelled + 1 });
};

const diedAlone = (
  tx: Transaction,
  item: LeasedItem,
  retry: Retry,
  cause: Cause,
  fail: (failure: Failure) => void,
): void => {
  const isBlamed = cause.blame === "scraper";
  const deaths = {
    blamed: retry.blamed + (isBlamed ? 1 : 0),
    unexplained: retry.unexplained + (isBlamed ? 0 : 1),
  };
  const next = afterDeathAlone(deaths);
  if (next !== "give-up") {
    tx.put("retry", { ...retry, ...deaths, state: "suspect", dueAt: tx.now + next.waitMs });
    return;
  }
  fail({
    kind: "scraper-error",
    detail: `the process that ran only this item ended ${deaths.blamed + deaths.unexplained} times: ${cause.detail}`,
  });
};

const actedFailure = (cause: Cause): Failure => ({
  kind: "worker-lost",
  detail: `its acting request had left when the worker was lost (${cause.detail}); not tried again by itself`,
});

/** An item that was lost with its worker, and is not tried again. */
const endLost = (
  tx: Transaction,
  item: LeasedItem,
  retry: Retry,
  worker: string,
  failure: Failure,
): FailedItem => {
  const { queue: id, seq } = item;
  const queue = tx.known("queue", id)!;
  const job = tx.known("job", item.job)!;
  const { key } = tx.one("item", id, seq)!;
  const { revision } = job;
  const past = { at: tx.now, ms: 0, worker, failure, ...(revision > 0 && { revision }) };
  tx.patch("queue", queue, { open: queue.open - 1 });
  tx.put("retry", { ...retry, dueAt: null, history: [...retry.history, past] });
  tx.put("result", {
    queue: id,
    seq,
    state: "failed",
    attempts: retry.attempts + 1,
    endedAt: tx.now,
    quality: null,
    failure,
    captures: [],
    records: null,
    skipped: null,
    change: null,
    attempt: null,
    revision,
  });
  tx.patch("job", job, {
    failed: job.failed + 1,
    failures: addFailure(job.failures, failure, key, { isFinal: true }),
  });
  noteFailures(tx, job.number, { [failure.kind]: [1, 1] });
  return { queue: id, seq, key, failure };
};

/** Costs of a lost worker for items that were not settled are still charged. Returns the jobs. */
const chargeUnsettled = (tx: Transaction, { unsettled, unsettledTiers }: Worker): number[] => {
  const charged: number[] = [];
  for (let i = 0; i < unsettled.length; i += 3) {
    const queue = tx.one("queue", unsettled[i]!);
    const job = queue && tx.known("job", queue.job);
    if (!job) continue;
    const proxied = unsettledTiers
      .filter((one) => one.queue === queue.id)
      .map(({ tier, requests, bytes, microCost }) => ({ tier, requests, bytes, microCost }));
    const spent = { requests: unsettled[i + 1]!, bytes: unsettled[i + 2]!, proxied };
    tx.patch("job", job, addSpending(job, spent));
    charge(tx, queue, spent);
    spendBudget(tx, job.number);
    charged.push(job.number);
  }
  return charged;
};
