import { hashOf } from "./proxy-tier.ts";
import type { NextTime } from "./zone-time.ts";

/** When a schedule fires: by local time, at an interval (counted from 1970, UTC), or with the release of another schedule. */
export type When =
  | { readonly cron: string; readonly zone: string }
  | { readonly everyMs: number }
  | { readonly after: string };

/** What happens if a schedule fires while an earlier firing has not ended. A paused or held job has not ended. */
export const OVERLAPS = ["skip", "queue-one", "allow"] as const;

export interface Timing {
  readonly when: When;
  readonly overlap: (typeof OVERLAPS)[number];
  /** How late a firing may begin; one period by default. */
  readonly catchUpMs?: number | undefined;
  /** Every firing of the schedule starts later by the same part of this, computed from its name. */
  readonly jitterMs?: number | undefined;
}

export interface QueuedTime {
  readonly at: number;
  readonly cause: "time" | "backfill";
}

/** The progress of a schedule. */
export interface Decided {
  /** All times up to this one are decided. */
  readonly decidedAt: number;
  /** Times that fire one after another, each when no firing of the schedule is running. */
  readonly queue: readonly QueuedTime[];
  readonly pausedAt?: number;
}

export const SKIP_REASONS = {
  "still-running": "an earlier firing has not ended",
  "too-many-running": "too many earlier firings have not ended",
  replaced: "a later time came before it could begin",
  paused: "the schedule was paused",
} as const;

export const MISS_REASONS = {
  "several-due": "no controller ran, and a later time was due as well",
  "too-late": "no controller ran until its catch-up window was over",
} as const;

export type Verdict = { readonly at: number } & (
  | { readonly fate: "fire"; readonly cause: QueuedTime["cause"] }
  | { readonly fate: "skip"; readonly reason: keyof typeof SKIP_REASONS }
  | { readonly fate: "miss"; readonly reason: keyof typeof MISS_REASONS }
);

export interface Decision {
  /** In the order of their times, at most one of them fires. */
  readonly verdicts: readonly Verdict[];
  readonly next: Decided;
}

/** Firings of one schedule that run at the same time, with overlap `allow`. */
export const MOST_AT_ONCE = 20;
/** Maximum number of times missed while no controller ran that are reported one by one. */
export const MOST_TOLD = 90;
/** A round of the controllers may be this late. */
const LEAST_CATCH_UP_MS = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Decides about the times since the last decision. If there are several, only the latest can fire. A time that may not fire now
 * is queued or skipped, by the overlap policy. Queued times fire when nothing is running.
 */
export const decide = (
  timing: Timing,
  state: Decided,
  { now, running, next, jitterMs = 0 }: Situation,
): Decision => {
  if (state.pausedAt !== undefined) return { verdicts: [], next: state };
  const due = dueTimes(next, state.decidedAt, now - jitterMs);
  const latest = due.at(-1);
  if (latest === undefined) return decideQueued(timing, state, running);
  const missed = due.slice(0, -1).map((at): Verdict => ({ at, fate: "miss", reason: "several-due" }));
  const decided = { ...state, decidedAt: latest };
  const windowMs = timing.catchUpMs ?? (next(latest) ?? Infinity) - latest;
  if (now - jitterMs - latest > Math.max(windowMs, LEAST_CATCH_UP_MS))
    return { verdicts: [...missed, { at: latest, fate: "miss", reason: "too-late" }], next: decided };
  // Of several waiting times, only the latest is worth a run.
  const replaced = state.queue
    .filter(({ cause }) => cause === "time")
    .map(({ at }): Verdict => ({ at, fate: "skip", reason: "replaced" }));
  const rest = state.queue.filter(({ cause }) => cause !== "time");
  const before = [...replaced, ...missed];
  const most = timing.overlap === "allow" ? MOST_AT_ONCE : 1;
  if (running < most)
    return {
      verdicts: [...before, { at: latest, fate: "fire", cause: "time" }],
      next: { ...decided, queue: rest },
    };
  if (timing.overlap === "queue-one")
    return { verdicts: before, next: { ...decided, queue: [{ at: latest, cause: "time" }, ...rest] } };
  const reason = timing.overlap === "allow" ? "too-many-running" : "still-running";
  return { verdicts: [...missed, { at: latest, fate: "skip", reason }], next: decided };
};

interface Situation {
  readonly now: number;
  /** Firings that have not ended. */
  readonly running: number;
  readonly next: NextTime;
  readonly jitterMs?: number;
}

const decideQueued = ({ overlap }: Timing, state: Decided, running: number): Decision => {
  const [first, ...rest] = state.queue;
  if (!first || running >= (overlap === "allow" ? MOST_AT_ONCE : 1)) return { verdicts: [], next: state };
  return { verdicts: [{ ...first, fate: "fire" }], next: { ...state, queue: rest } };
};

/** Times after one and up to another; if there are very many, only the latest. */
export const dueTimes = (next: NextTime, after: number, upTo: number): readonly number[] => {
  for (let backMs = HOUR_MS; ; backMs *= 2) {
    const from = Math.max(after, upTo - backMs);
    const found = timesBetween(next, from, upTo);
    if (from === after || found.length > MOST_TOLD) return found.slice(-MOST_TOLD);
  }
};

const timesBetween = (next: NextTime, after: number, upTo: number): number[] => {
  const found: number[] = [];
  for (let at = next(after); at !== undefined && at <= upTo; at = next(at)) found.push(at);
  return found;
};

/** The first times after an instant. */
export const nextTimes = (next: NextTime, after: number, count: number): number[] => {
  const found: number[] = [];
  for (let at = next(after); at !== undefined && found.length < count; at = next(at)) found.push(at);
  return found;
};

/** Times that passed during the pause are skipped, unless requested. */
export const resumed = (state: Decided, now: number, catchUp: boolean): Decided => {
  const { pausedAt: _, ...next } = state;
  return { ...next, decidedAt: catchUp ? state.decidedAt : Math.max(state.decidedAt, now) };
};

/** The delay after the nominal time: the same for every firing, and different between schedules. */
export const jitterOf = (name: string, jitterMs = 0): number =>
  jitterMs === 0 ? 0 : hashOf(name) % jitterMs;

/** Multiples of the interval since 1970, UTC. */
export const everyInterval =
  (everyMs: number): NextTime =>
  (after) =>
    (Math.floor(after / everyMs) + 1) * everyMs;
