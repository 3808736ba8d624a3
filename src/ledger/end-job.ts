import type { Failure } from "../domain/failure.ts";
import { countPlaces } from "./workers.ts";
import type { Job } from "./records.ts";
import type { Transaction } from "./transaction.ts";

export const endedOf = ({ done, absent, failed, skipped, cancelled }: Job): number =>
  done + absent + failed + skipped + cancelled;

/**
 * A sealed job is done with its last item; the baselines of its lanes are kept for the next job of the scraper. A cancelled job
 * has ended when all leased items have come back.
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

/** Nothing more of the job is given out: only leased items are still open. Returns their number. */
export const onlyLeased = (tx: Transaction, job: number): number => {
  tx.changeQueues(job, "end");
  tx.wakeJob(job, tx.now);
  const leases = tx.list("workers").flatMap((worker) => worker.leases);
  return leases.reduce((sum, lease) => sum + (lease.job === job ? countPlaces(lease.open) : 0), 0);
};
