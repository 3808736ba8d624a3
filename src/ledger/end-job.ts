import type { Failure } from "../domain/failure.ts";
import { addFailure } from "./failures.ts";
import { countPlaces } from "./workers.ts";
import type { Job } from "./records.ts";
import type { Transaction } from "./transaction.ts";

export const endedOf = ({ done, absent, failed, skipped, cancelled }: Job): number =>
  done + absent + failed + skipped + cancelled;

/**
 * A sealed job is done with its last item; what its lanes are used to is kept for the next job of the scraper. A cancelled one has ended when
 * what was leased has come back.
 */
export const endJobWhenDone = (tx: Transaction, number: number): void => {
  const job = tx.known("job", number) ?? tx.one("job", number)!;
  if (!job.isSealed || endedOf(job) < job.accepted || job.endedAt !== null) return;
  if (job.state === "cancelled") {
    tx.patch("job", job, { endedAt: tx.now });
    tx.tell("job.cancelled", job.id, { reason: job.paused!.reason });
    return;
  }
  tx.patch("job", job, { state: "done", endedAt: tx.now });
  for (const { lane, breaker } of tx.list("queuesOf", number))
    if (breaker) tx.put("baseline", { scraper: job.spec.scraper, lane, breaker });
  const { done, absent, failed, skipped } = job;
  const capped = Object.values(job.capped).reduce((sum, count) => sum + count, 0);
  const facts = { done, absent, failed, skipped, ...(capped > 0 && { capped }) };
  tx.tell("job.completed", job.id, facts);
  if (job.spec.isBatch) tx.tell("batch.completed", job.id, facts);
};

export const OVER_BUDGET: Failure = {
  kind: "budget",
  detail: "the job's budget was spent before its turn came",
};

/**
 * Items are not written one by one: in a job whose budget is spent, one that has neither ended nor is leased reads as failed. Those that are
 * leased end as they do, or fail when they come back: what their requests under way cost is all that goes over the budget.
 */
export const spendBudget = (tx: Transaction, number: number): void => {
  const job = tx.known("job", number)!;
  const { budget } = job.spec;
  if (!budget) return;
  const isSpent = job.requests >= (budget.requests ?? Infinity) || job.bytes >= (budget.bytes ?? Infinity);
  // What was left of a cancelled job is counted as cancelled already.
  if (!isSpent || job.spentAt !== null || job.endedAt !== null || job.state === "cancelled") return;
  const left = job.accepted - onlyLeased(tx, number) - endedOf(job);
  tx.patch("job", job, {
    spentAt: tx.now,
    isSealed: true,
    state: job.state === "loading" ? "running" : job.state,
    ...(left > 0 && {
      failed: job.failed + left,
      failures: addFailure(job.failures, OVER_BUDGET, "", { isFinal: true, isUntried: true, count: left }),
    }),
  });
  if (left === 0) return;
  const { requests, bytes } = job;
  tx.tell("item.failed", job.id, {
    count: left,
    kinds: { budget: left },
    items: [],
    spent: { requests, bytes },
    budget,
  });
};

/** Nothing more of the job is handed out: only what is leased is still open. Answers how many items are. */
export const onlyLeased = (tx: Transaction, job: number): number => {
  tx.changeQueues(job, "end");
  tx.wakeJob(job, tx.now);
  const leases = tx.list("workers").flatMap((worker) => worker.leases);
  return leases.reduce((sum, lease) => sum + (lease.job === job ? countPlaces(lease.open) : 0), 0);
};
