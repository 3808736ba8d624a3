const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Waits after the first, second, … try that failed; the last one again and again. */
const STEPS = [5000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const;
/** A wait is up to so much longer, so that what failed together does not come again together. */
const JITTER = 0.2;

export interface FailedDelivery {
  /** This one included. */
  readonly attempts: number;
  /** Since the delivery was made. */
  readonly ageMs: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * How long until the next try, or undefined when its day is over. The last try is at the end of the day, or later where the receiver has asked
 * for that.
 */
export const deliveryDelayMs = (failed: FailedDelivery): number | undefined => {
  const leftMs = DAY - failed.ageMs;
  if (leftMs <= 0) return undefined;
  const step = STEPS[Math.min(failed.attempts, STEPS.length) - 1] ?? STEPS[0];
  const waitMs = Math.min(step * (1 + JITTER * failed.random), leftMs);
  return Math.ceil(Math.max(waitMs, failed.retryAfterMs ?? 0));
};
