import { reachedLimit } from "../domain/budget.ts";
import { costOfJob } from "../domain/cost.ts";
import { pauseJob } from "./control-job.ts";
import { endedOf, onlyLeased, OVER_BUDGET } from "./end-job.ts";
import { addFailure, noteFailures } from "./failures.ts";
import { type Transaction, want } from "./transaction.ts";

/**
 * Items are not written one by one: in a job whose budget is used up, an item that has not ended and is not leased counts as
 * failed. Leased items end normally, or fail when they come back: only the cost of their running requests exceeds the budget. A
 * job with `onSpent: "pause"` continues when someone resumes it.
 */
export const spendBudget = (tx: Transaction, number: number): void => {
  const job = tx.known("job", number)!;
  const { budget } = job.spec;
  const spent = costOfJob(job);
  const limit = budget && reachedLimit(budget, spent);
  // The rest of a cancelled job is already counted as cancelled.
  if (!budget || limit === undefined || job.spentAt !== null || job.endedAt !== null) return;
  if (job.state === "cancelled") return;
  if (budget.onSpent === "pause") {
    if (job.state === "paused" || (job.isSealed && endedOf(job) === job.accepted)) return;
    tx.need(want("workers"));
    return pauseJob(tx, job, { cause: "budget", reason: `its budget of ${limit} is spent` });
  }
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
  noteFailures(tx, number, { budget: [left, 0] });
  tx.tell("item.failed", job.id, {
    count: left,
    kinds: { budget: left },
    items: [],
    spent,
    budget,
  });
};
