import type { Failure, FailureKind } from "../domain/failure.ts";
import { addFailureTimes, type FailurePairs, NO_FAILURE_TIMES } from "../domain/failure-times.ts";
import type { ItemRef } from "../domain/item.ts";
import { type Transaction, want } from "./transaction.ts";
import type { FailureCount, Job } from "./records.ts";

/** An item that has ended as failed. */
export interface FailedItem extends ItemRef {
  readonly key: string;
  readonly failure: Failure;
}

/** Maximum number of items in one event. */
const MOST = 100;
/** Maximum length of one item's detail. */
const MOST_CHARS = 300;

/**
 * Written in the same transaction as the items, so that no failure is lost and none is reported that did not happen. A settle
 * brings the items of a second or two, so there are few of these events however many items fail.
 */
export const tellFailed = (tx: Transaction, job: string, failed: readonly FailedItem[]): void => {
  for (let from = 0; from < failed.length; from += MOST) {
    const some = failed.slice(from, from + MOST);
    const kinds: Partial<Record<FailureKind, number>> = {};
    for (const { failure } of some) kinds[failure.kind] = (kinds[failure.kind] ?? 0) + 1;
    const items = some.map(({ queue, seq, key, failure: { kind, detail } }) => ({
      queue,
      seq,
      key,
      kind,
      detail: detail.slice(0, MOST_CHARS),
    }));
    tx.tell("item.failed", job, { count: some.length, kinds, items });
  }
};

const NONE: FailureCount = { final: 0, attempts: 0, exampleKey: "", exampleDetail: "" };

/** Adds a failure to a job's counts by kind. `isUntried`: the item ended without an attempt. */
export const addFailure = (
  failures: Job["failures"],
  failure: Failure,
  key: string,
  { isFinal, isUntried = false, count = 1 }: { isFinal: boolean; isUntried?: boolean; count?: number },
): Job["failures"] => {
  const known = failures[failure.kind] ?? NONE;
  const isExample = isFinal || known === NONE;
  return {
    ...failures,
    [failure.kind]: {
      final: known.final + (isFinal ? count : 0),
      attempts: known.attempts + (isUntried ? 0 : count),
      exampleKey: isExample ? key : known.exampleKey,
      exampleDetail: isExample ? failure.detail : known.exampleDetail,
    },
  };
};

/** Removes items that no longer count as failed. */
export const takeFailure = (failures: Job["failures"], kind: FailureKind, count = 1): Job["failures"] => {
  const known = failures[kind];
  return known ? { ...failures, [kind]: { ...known, final: known.final - count } } : failures;
};

/** Failures that happened now. `queue`: one of the job's, by which what is known so far was loaded. */
export const noteFailures = (tx: Transaction, job: number, failed: FailurePairs, queue?: number): void => {
  tx.need(queue === undefined ? want("failureTimes", job) : want("failureTimesOfQueue", queue));
  const known = tx.known("failureTimes", job) ?? NO_FAILURE_TIMES;
  tx.put("failureTimes", { ...addFailureTimes(known, tx.now, failed), job });
};
