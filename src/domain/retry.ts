import { type Failure, failurePolicy, type FailurePolicy, type PolicyOverrides } from "./failure.ts";
import type { Outcome } from "./item.ts";
import type { OptionNames } from "./known-options.ts";

/** Number of throttles and proxy failures that do not count as attempts; each later one costs the item an attempt. */
export const FREE_THROTTLES = 10;
/** If a site asks for more, it is tried again after this. */
const MAX_RETRY_AFTER_MS = 3_600_000;

export interface FailedTry {
  readonly failure: Failure;
  /** 1-based number of the attempt that failed; free throttles are not counted. */
  readonly attempt: number;
  /** Throttles before this failure. */
  readonly throttles: number;
  /** The scraper is `once` and its acting request was sent: never retried automatically. */
  readonly hasActed: boolean;
  readonly overrides?: PolicyOverrides | undefined;
  /** The site refused a proxy tier, and a more expensive one is left. */
  readonly canMoveTier?: boolean;
  /** The job's own cap, under that of the policy. */
  readonly maxAttempts?: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

type FailureOutcome = Extract<Outcome, { readonly state: "waiting" | "failed" }>;

/** What happens to an item after a failed attempt. */
export function afterFailure(failed: FailedTry): FailureOutcome {
  const { failure, attempt, throttles } = failed;
  if (failed.hasActed) return { state: "failed", failure };
  const policy = failurePolicy(failure.kind, failed.overrides);
  const isThrottle =
    failure.kind === "rate-limited" || failure.kind === "proxy" || (failed.canMoveTier ?? false);
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

export interface Backoff {
  /** Longest wait before the second attempt. */
  readonly firstMs: number;
  /** How much longer each further wait may be. */
  readonly factor: number;
  /** No wait is longer than this. */
  readonly maxMs: number;
}

export const BACKOFF_OPTIONS: OptionNames<Backoff> = { firstMs: true, factor: true, maxMs: true };

/** Longest wait after the given 1-based attempt: `firstMs`, then `factor` times as long each time, up to `maxMs`. */
export function backoffMs(backoff: Backoff, attempt: number): number {
  // Bounded, because 0 × Infinity is not a number.
  const growth = Math.min(backoff.factor ** (attempt - 1), Number.MAX_VALUE);
  return Math.min(backoff.firstMs * growth, backoff.maxMs);
}

/** Full jitter: anywhere from nothing up to the backoff, in whole milliseconds. `random` is in [0, 1). */
export const jitteredMs = (backoff: Backoff, attempt: number, random: number): number =>
  Math.floor(random * backoffMs(backoff, attempt));

/** No site can hold a lane for longer than a day; more is a broken clock or a hostile response. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Milliseconds that `Retry-After` asks for (seconds or an HTTP date, RFC 9110 10.2.3), or undefined. A site may send several, one of its own
 * and one of a proxy's: the longest wait satisfies all of them.
 */
export const retryAfterMs = (values: readonly string[], now: number): number | undefined => {
  const waits = values.flatMap(readList).flatMap((text) => parseWaitMs(text, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
};

/** Proxies join several headers by commas, which a date has too. */
const readList = (value: string): string[] => (/^[\d.,\s]+$/.test(value) ? value.split(",") : [value]);

const parseWaitMs = (value: string, now: number): number | undefined => {
  const text = value.trim();
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateMs(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.round(ms)), LONGEST_MS);
};

/** Only what looks like an HTTP date: `Date.parse` alone reads "-5" or "x1" as a year. */
const dateMs = (text: string): number =>
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i.test(text) ? Date.parse(text) : Number.NaN;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Waits after the first, second, … failed attempt; the last one repeats. */
const STEPS = [5000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR] as const;
/** A wait is up to so much longer, so that what failed together does not come again together. */
const JITTER = 0.2;

interface FailedDelivery {
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
 * Time until the next attempt, or undefined when its day is over. The last attempt is at the end of the day, or later if the receiver asks for that.
 */
export const deliveryDelayMs = (failed: FailedDelivery): number | undefined => {
  const leftMs = DAY - failed.ageMs;
  if (leftMs <= 0) return undefined;
  const step = STEPS[Math.min(failed.attempts, STEPS.length) - 1] ?? STEPS[0];
  const waitMs = Math.min(step * (1 + JITTER * failed.random), leftMs);
  return Math.ceil(Math.max(waitMs, failed.retryAfterMs ?? 0));
};

/** How often an item's process has died while it ran alone: with a cause in the scraper's own code, and with none that is known. */
interface Deaths {
  readonly blamed: number;
  readonly unexplained: number;
}

/** A process that was ended from outside says little about its item: the cause may be a failing machine or an operator, for some time. */
const BLAMED_CAP = 2;
const UNEXPLAINED_CAP = 6;
/** Doubled with each death: a failing machine gets time to recover. */
const FIRST_WAIT_MS = 250;

/** What happens to an item after a death alone: another attempt alone, after a wait, or none. */
export const afterDeathAlone = ({ blamed, unexplained }: Deaths): { readonly waitMs: number } | "give-up" =>
  blamed >= BLAMED_CAP || unexplained >= UNEXPLAINED_CAP
    ? "give-up"
    : { waitMs: FIRST_WAIT_MS * 2 ** Math.max(0, blamed + unexplained - 1) };
