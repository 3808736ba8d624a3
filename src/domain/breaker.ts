import { type Evidence, evidenceOf } from "./breaker-evidence.ts";
import {
  FAILURE_KINDS,
  type FailureKind,
  failureInfo,
  failurePolicy,
  type PolicyOverrides,
} from "./failure.ts";
import { backoffMs } from "./retry.ts";

export interface BreakerOutcome {
  readonly result: RecentResult;
  /** Required fields missing in what came through. */
  readonly missing?: readonly string[] | undefined;
  readonly nowMs?: number;
}

interface BreakerStep {
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

/**
 * Decides, for one job in one lane, when to stop trying. One chart watches the failures, one the share of `absent`, and one
 * each required field that has ever been missing. Plain JSON, so that a ledger can keep it.
 */
export interface BreakerState {
  readonly failures: Chart;
  readonly absent: Chart;
  readonly missing: readonly FieldChart[];
  /** Records that came through, up to a bound: what a field's chart starts from when the field is first missing. */
  readonly records: number;
  /** The latest outcomes, a letter each, newest last. */
  readonly recent: string;
}

interface FieldChart {
  readonly field: string;
  readonly chart: Chart;
}

/** Usual share of failures, and of records without a field, before anything was seen. */
const PRIOR = { usual: 0.02, weight: 50 };
/** Some jobs look for what mostly does not exist: little is presumed, and little suffices to learn. */
const ABSENT_PRIOR = { usual: 0.4, weight: 2 };
/** The last job's baseline is a strong hint, but its inputs were others. */
const SEED_WEIGHT = 200;

/** A new job, from the baseline of the scraper's last one if there was one. */
export function seedBreaker(previous?: BreakerState): BreakerState {
  if (!previous) {
    return { failures: cleanChart(0), absent: newAbsentChart(), missing: [], records: 0, recent: "" };
  }
  return {
    failures: restart(previous.failures, SEED_WEIGHT),
    absent: restart(previous.absent, SEED_WEIGHT),
    missing: previous.missing.map(({ field, chart }) => ({ field, chart: restart(chart, SEED_WEIGHT) })),
    records: Math.min(previous.records, SEED_WEIGHT),
    recent: "",
  };
}

/**
 * Goes on after a hold: what was usual stays usual. Only a person resumes after too many absents, and so says that they may
 * be right: their share is learned afresh.
 */
export function reset(state: BreakerState): BreakerState {
  return {
    failures: restart(state.failures),
    absent: isTripped(state.absent) ? newAbsentChart() : restart(state.absent),
    missing: state.missing.map(({ field, chart }) => ({ field, chart: restart(chart) })),
    records: state.records,
    recent: "",
  };
}

/** What is usual by what was seen, and not by what is presumed of every scraper: more outcomes than the presumption stands for. */
export const usualShare = ({ usual, weight }: Chart, of: "failures" | "absent"): number | undefined =>
  weight - (of === "absent" ? ABSENT_PRIOR : PRIOR).weight >= PRIOR.weight ? usual : undefined;

/** A field that was never missing in so many records. */
function cleanChart(records: number): Chart {
  const weight = PRIOR.weight + records;
  return newChart((PRIOR.usual * PRIOR.weight) / weight, weight);
}

const newAbsentChart = (): Chart => newChart(ABSENT_PRIOR.usual, ABSENT_PRIOR.weight);

/**
 * Page's CUSUM for one yes-or-no question about a stream of outcomes: is the bad share still at most `p0`, or has it jumped?
 *
 * The score adds ln(p1/p0) for a bad outcome and ln((1 − p1)/(1 − p0)) for a good one, and is held at zero so that past
 * success earns no credit. While the true share is at most p0 each factor e^step has mean ≤ 1, so (Ville) a trip that starts
 * at a given outcome has probability ≤ e^−TRIP, and n outcomes trip falsely with probability ≤ n·e^−TRIP: 0.001 for 100,000.
 * This holds for a p0 that changes as long as it is known before the outcome, which is why a chart learns only from what is
 * behind it, and only when the score is back at zero: a break trips before it can be learned as usual.
 */
export interface Chart {
  readonly score: number;
  /** Bad share learned so far, and how many outcomes it stands for. */
  readonly usual: number;
  readonly weight: number;
  /** Since the score left zero: not learned yet, and the evidence if it trips. */
  readonly bad: number;
  readonly total: number;
  /** When the score left zero; 0 where nobody said. */
  readonly sinceMs: number;
}

export const TRIP = Math.log(1e8);
/** Outcomes after which an old one has lost most of its weight. */
const MEMORY = 1000;
/** p1 leaves a tenth of the good share: a good outcome then always scores −ln 10. */
const GOOD_LEFT = 0.1;
const GOOD_STEP = Math.log(GOOD_LEFT);

export const newChart = (usual: number, weight: number): Chart => ({
  score: 0,
  usual,
  weight: Math.min(weight, MEMORY),
  bad: 0,
  total: 0,
  sinceMs: 0,
});

/** `badness` is 0 for a good outcome and up to 1 for a bad one. */
export function stepChart(chart: Chart, badness: number, p0: number, nowMs = 0): Chart {
  const weight = badness === 0 ? GOOD_STEP : badness * badStep(p0);
  const score = Math.max(0, chart.score + weight);
  const next = {
    score,
    usual: chart.usual,
    weight: chart.weight,
    bad: chart.bad + badness,
    total: chart.total + 1,
    sinceMs: chart.total === 0 ? nowMs : chart.sinceMs,
  };
  return score === 0 ? learn(next) : next;
}

const badStep = (p0: number): number => Math.log((1 - GOOD_LEFT * (1 - p0)) / p0);

/** Takes what was seen since the score left zero into the usual share, and starts again from zero. */
export const learn = ({ usual, weight, bad, total }: Chart): Chart =>
  newChart((usual * weight + bad) / (weight + total), weight + total);

/** Same baseline, nothing held against anybody; `weight` bounds how much the past says. */
export const restart = (chart: Chart, weight: number = MEMORY): Chart =>
  newChart(chart.usual, Math.min(chart.weight, weight));

export const isTripped = (chart: Chart): boolean => chart.score >= TRIP;

export type RecentResult = "done" | "absent" | FailureKind;

const KEPT = 50;

/** Stored in ledgers: a letter never changes its meaning. */
const letterOf = (result: RecentResult): string =>
  result === "done" ? "." : result === "absent" ? "a" : failureInfo(result).letter;

const ALL: readonly RecentResult[] = ["done", "absent", ...FAILURE_KINDS];
const RESULTS: ReadonlyMap<string, RecentResult> = new Map(ALL.map((result) => [letterOf(result), result]));

/** One letter more, the oldest beyond fifty forgotten. */
export const appendRecent = (recent: string, result: RecentResult): string =>
  (recent.length < KEPT ? recent : recent.slice(1 - KEPT)) + letterOf(result);

/** Oldest first. */
export const readRecent = (recent: string): RecentResult[] =>
  recent.split("").flatMap((letter) => RESULTS.get(letter) ?? []);
