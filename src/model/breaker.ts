import { backoffMs } from "./backoff.ts";
import { evidenceOf, type Evidence } from "./breaker-evidence.ts";
import { appendRecent, type RecentResult } from "./breaker-recent.ts";
import { cleanChart, type BreakerState, type FieldChart } from "./breaker-state.ts";
import { learn, stepChart, TRIP, type Chart } from "./chart.ts";
import { failurePolicy, type PolicyOverrides } from "./failure-policy.ts";

export interface BreakerOutcome {
  readonly result: RecentResult;
  /** Required fields missing in what came through. */
  readonly missing?: readonly string[] | undefined;
  readonly nowMs?: number;
}

export interface BreakerStep {
  readonly state: BreakerState;
  /** Set for every outcome after which a chart stands at its limit. */
  readonly tripped?: Evidence;
}

/** About ten answers; below that the share of absents is a guess. */
const KNOWN_ABSENT_WEIGHT = 12;
/** The lowest p0 while it is a guess: forty absents in a row trip, as with a search form that never worked. */
const GUESSED_ABSENT_P0 = 0.6;
const MAX_RECORDS = 1000;

export function step(state: BreakerState, outcome: BreakerOutcome, overrides?: PolicyOverrides): BreakerStep {
  const { result } = outcome;
  const nowMs = outcome.nowMs ?? 0;
  const cameThrough = result === "done" || result === "absent";
  const badness = cameThrough ? 0 : Math.min(1, failurePolicy(result, overrides).breakerWeight);
  const isJudged = cameThrough || badness > 0;
  const { failures, absent } = state;
  const next: BreakerState = {
    failures: isJudged ? stepChart(failures, badness, usualP0(failures), nowMs) : failures,
    absent: cameThrough ? stepAbsent(absent, result === "absent", nowMs) : absent,
    missing: result === "done" ? stepMissing(state, outcome.missing ?? [], nowMs) : state.missing,
    records: result === "done" ? Math.min(state.records + 1, MAX_RECORDS) : state.records,
    recent: appendRecent(state.recent, result),
  };
  const tripped = evidenceOf(next, overrides);
  return tripped ? { state: next, tripped } : { state: next };
}

/** Half-way to a trip, three failures in a row at best: time to be careful, not yet to stop. */
const DOUBT = 0.45;

export const isDoubtful = ({ failures, absent, missing }: BreakerState): boolean =>
  [failures, absent, ...missing.map(({ chart }) => chart)].some(({ score }) => score >= DOUBT * TRIP);

/** How long a lane stays held before a single item is let through; `trips` counts from 1. */
export const coolDownMs = (trips: number): number =>
  backoffMs({ firstMs: 60_000, factor: 2, maxMs: 3_600_000 }, trips);

/** Half as much again as usual is no break. At the upper bound, nineteen straight failures trip; at the lower, seven. */
const usualP0 = (chart: Chart): number => Math.min(Math.max(1.5 * chart.usual, 0.05), 0.35);

function stepAbsent(chart: Chart, isAbsent: boolean, nowMs: number): Chart {
  const isGuess = chart.weight < KNOWN_ABSENT_WEIGHT;
  // Something was found, so the form works, and what came before belongs to the share of a sparse job.
  if (isGuess && !isAbsent) return learn({ ...chart, total: chart.total + 1 });
  const p0 = Math.min(Math.max(1.5 * chart.usual, isGuess ? GUESSED_ABSENT_P0 : 0.05), 0.97);
  return stepChart(chart, isAbsent ? 1 : 0, p0, nowMs);
}

function stepMissing(state: BreakerState, missing: readonly string[], nowMs: number): readonly FieldChart[] {
  if (missing.length === 0 && state.missing.length === 0) return state.missing;
  const known = new Set(state.missing.map(({ field }) => field));
  const first = [...new Set(missing)].filter((field) => !known.has(field));
  const clean = cleanChart(state.records);
  return [...state.missing, ...first.map((field) => ({ field, chart: clean }))].map(({ field, chart }) => ({
    field,
    chart: stepChart(chart, missing.includes(field) ? 1 : 0, usualP0(chart), nowMs),
  }));
}
