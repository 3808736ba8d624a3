import { type FailureKind, failurePolicy } from "./failure.ts";

/**
 * How much of its pace a lane uses: multiplicative decrease on congestion, additive increase in quiet times (AIMD).
 * A throttle comes from the site and slows the lane at once. A timeout or an "unavailable" is only a hint, since it may concern a single page: it
 * adds to the strain, an exponentially weighted share of hints, and only a share that chance does not explain slows the lane.
 */
export interface LaneSpeed {
  /** Share of the base pace, from 1/64 to 1. */
  readonly factor: number;
  /** Weighted share of hints, from 0 to 1. */
  readonly strain: number;
  /** Quiet time is counted from here: the latest problem, or the latest increase. */
  readonly changedAtMs: number;
  readonly slowedAtMs: number;
}

/** Outcomes of requests in the lane. Many may be reported at once, because the order within a second does not matter. */
export interface LaneOutcome {
  readonly kind: FailureKind | "ok";
  /** How many such outcomes; 1 unless given. */
  readonly count?: number;
  /** Whether it slows the lane, as the scraper has it; by the table of failures unless given. */
  readonly slows?: boolean;
}

const LOWEST = 1 / 64;
/** Responses to one congestion arrive together, and must count once. */
const DECREASE_GAP_MS = 2000;
const INCREASE = 1 / 16;
const INCREASE_EVERY_MS = 2000;
/**
 * Weight of one outcome in the strain: from a lane at rest eleven timeouts in a row reach `STRAINED`. Half of that would slow
 * a fast lane every few minutes on 5 % of random timeouts.
 */
const STRAIN_WEIGHT = 1 / 64;
const STRAINED = 0.15;
/** Not yet worth a decrease, but no time for an increase. */
const UNEASY = 0.1;

export const FULL_SPEED: LaneSpeed = { factor: 1, strain: 0, changedAtMs: 0, slowedAtMs: -DECREASE_GAP_MS };

export function onOutcomes(speed: LaneSpeed, outcomes: readonly LaneOutcome[], nowMs: number): LaneSpeed {
  let total = 0;
  let hints = 0;
  let isOk = false;
  for (const { kind, count = 1, slows } of outcomes) {
    total += count;
    if (kind === "ok") {
      isOk = true;
      continue;
    }
    const isSlowing = slows ?? failurePolicy(kind).slowsLane;
    if (isSlowing && kind === "rate-limited") return slowDown(speed, nowMs);
    if (isSlowing) hints += count;
  }
  if (total === 0) return speed;
  const share = hints / total;
  const strain = share + (speed.strain - share) * (1 - STRAIN_WEIGHT) ** total;
  const strained = { ...speed, strain };
  if (hints > 0 && strain >= STRAINED) return slowDown(strained, nowMs);
  if (hints > 0 && strain >= UNEASY) return { ...strained, changedAtMs: nowMs };
  return isOk ? recover(strained, nowMs) : strained;
}

export const onOutcome = (speed: LaneSpeed, outcome: LaneOutcome & { readonly nowMs: number }): LaneSpeed =>
  onOutcomes(speed, [outcome], outcome.nowMs);

/** One more sixteenth for every two quiet seconds. Also right for a lane in which nothing was in flight meanwhile. */
export function recover(speed: LaneSpeed, nowMs: number): LaneSpeed {
  const quietMs = nowMs - speed.changedAtMs;
  if (quietMs < 0) return { ...speed, changedAtMs: nowMs }; // the clock was set back
  const steps = Math.floor(quietMs / INCREASE_EVERY_MS);
  if (steps === 0) return speed;
  return {
    ...speed,
    factor: Math.min(1, speed.factor + steps * INCREASE),
    changedAtMs: speed.changedAtMs + steps * INCREASE_EVERY_MS,
  };
}

export const effectivePerSecond = (perSecond: number, factor: number): number => perSecond * factor;

/** A lane with a rate is slowed by its rate alone; one without has only its concurrency to give. */
export const effectiveConcurrency = (
  pace: { readonly perSecond: number; readonly concurrency: number },
  factor: number,
): number =>
  Number.isFinite(pace.perSecond) ? pace.concurrency : Math.max(1, Math.floor(pace.concurrency * factor));

function slowDown(speed: LaneSpeed, nowMs: number): LaneSpeed {
  const sinceMs = nowMs - speed.slowedAtMs;
  const isSameEvent = sinceMs >= 0 && sinceMs < DECREASE_GAP_MS;
  if (isSameEvent) return { ...speed, changedAtMs: nowMs };
  // The strain has been handled: the next outcomes show whether the slower pace is slow enough.
  return { factor: Math.max(LOWEST, speed.factor / 2), strain: 0, changedAtMs: nowMs, slowedAtMs: nowMs };
}
