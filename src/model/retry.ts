import { jitteredMs } from "./backoff.ts";
import type { Failure } from "./failure.ts";
import { failurePolicy, type FailurePolicy, type PolicyOverrides } from "./failure-policy.ts";
import type { Outcome } from "./item.ts";

/** Throttles that the lane answers for; from then on each costs the item an attempt. */
export const FREE_THROTTLES = 10;
/** A site that asks for more is asked again after this. */
const MAX_RETRY_AFTER_MS = 3_600_000;

export interface FailedTry {
  readonly failure: Failure;
  /** 1-based number of the attempt that failed; free throttles are not counted. */
  readonly attempt: number;
  /** Throttles before this failure. */
  readonly throttles: number;
  /** The scraper is `once` and its acting request has left: never tried again by itself. */
  readonly hasActed: boolean;
  readonly overrides?: PolicyOverrides | undefined;
  /** The job's own cap, under that of the policy. */
  readonly maxAttempts?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

export type FailureOutcome = Extract<Outcome, { readonly state: "waiting" | "failed" }>;

/** What becomes of an item whose try has failed. */
export function afterFailure(failed: FailedTry): FailureOutcome {
  const { failure, attempt, throttles } = failed;
  if (failed.hasActed) return { state: "failed", failure };
  const policy = failurePolicy(failure.kind, failed.overrides);
  const isThrottle = failure.kind === "rate-limited";
  const isFree = isThrottle && throttles < FREE_THROTTLES;
  if (!isFree && attempt >= Math.min(policy.maxAttempts, failed.maxAttempts ?? Infinity))
    return { state: "failed", failure };
  return waiting(failed, policy, isThrottle ? throttles + 1 : attempt, !isFree);
}

function waiting(
  { failure, random }: FailedTry,
  policy: FailurePolicy,
  round: number,
  countsAttempt: boolean,
): FailureOutcome {
  const askedMs = Math.min(failure.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const delayMs = Math.max(jitteredMs(policy.backoff, round, random), askedMs);
  return { state: "waiting", delayMs, failure, countsAttempt };
}
