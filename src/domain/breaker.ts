import { type Chart, isTripped, learn, newChart, pastScores, restart, stepChart, TRIP } from "./chart.ts";
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
  /** Required fields missing in the records. */
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

/** One and a half times the usual share is not a break. At the upper bound, nineteen straight failures trip; at the lower, seven. */
const usualP0 = (chart: Chart): number => Math.min(Math.max(1.5 * chart.usual, 0.05), 0.35);

function stepAbsent(chart: Chart, isAbsent: boolean, nowMs: number): Chart {
  const isGuess = chart.weight < KNOWN_ABSENT_WEIGHT;
  // Something was found, so the form works, and what came before belongs to the share of a sparse job.
  if (isGuess && !isAbsent) return learn({ ...chart, total: chart.total + 1 });
  return stepChart(chart, isAbsent ? 1 : 0, absentP0(chart), nowMs);
}

const absentP0 = (chart: Chart): number =>
  Math.min(Math.max(1.5 * chart.usual, chart.weight < KNOWN_ABSENT_WEIGHT ? GUESSED_ABSENT_P0 : 0.05), 0.97);

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
/** Some jobs search for inputs that mostly do not exist: the prior is weak, and few outcomes are enough to learn. */
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
 * Continues after a hold: the usual shares stay. Only a person resumes after too many absents, which means that they may be right: their share is
 * learned again.
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

/** The usual share if it was really observed: there are more outcomes than the prior counts for. */
const usualShare = ({ usual, weight }: Chart, of: "failures" | "absent"): number | undefined =>
  weight - (of === "absent" ? ABSENT_PRIOR : PRIOR).weight >= PRIOR.weight ? usual : undefined;

/** A field that was never missing in this many records. */
function cleanChart(records: number): Chart {
  const weight = PRIOR.weight + records;
  return newChart((PRIOR.usual * PRIOR.weight) / weight, weight);
}

const newAbsentChart = (): Chart => newChart(ABSENT_PRIOR.usual, ABSENT_PRIOR.weight);

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

/** Why a lane is held, for a person. */
export interface Evidence {
  readonly chart: "failures" | "absent" | `missing:${string}`;
  /** One sentence. */
  readonly reason: string;
  /** Over the last fifty outcomes, or as many as there were. */
  readonly counts: ResultCounts;
  /** When the problem began. */
  readonly sinceMs?: number;
  /** Every kind of failure in it ends without a person. */
  readonly heals: boolean;
  /** The chart's scores after the latest outcomes that it judged, oldest first, and the score that trips it. Not for missing fields: their outcomes are not kept one by one. */
  readonly scores?: readonly ChartScore[];
  readonly limit?: number;
}

interface ChartScore {
  readonly result: RecentResult;
  readonly score: number;
}

type ResultCounts = Readonly<Partial<Record<RecentResult, number>>>;

/** The evidence of the first chart that stands at its limit, if one does. */
function evidenceOf(state: BreakerState, overrides?: PolicyOverrides): Evidence | undefined {
  if (isTripped(state.failures)) return failureEvidence(state, overrides);
  const fields = state.missing.filter(({ chart }) => isTripped(chart));
  const [first] = fields;
  if (first) {
    const names = fields.map(({ field }) => field).join(", ");
    const reason = `${names} missing in ${shareOf(first.chart, "records")}`;
    return evidence(state, `missing:${first.field}`, first.chart, { reason, heals: false });
  }
  if (!isTripped(state.absent)) return undefined;
  const reason = `the site answered "no such thing" to ${shareOf(state.absent, "items")}`;
  const steps = scoresOf(state.absent, absentP0(state.absent), state.recent, (result) =>
    result === "absent" ? 1 : result === "done" ? 0 : undefined,
  );
  return evidence(state, "absent", state.absent, { reason, heals: false, ...steps });
}

function failureEvidence(state: BreakerState, overrides?: PolicyOverrides): Evidence {
  const kinds = troubleKinds(state, overrides);
  const tally = Object.entries(countResults(kinds)).map(([kind, count]) => `${count} ${kind}`);
  const reason = `${shareOf(state.failures, "attempts")} failed: ${tally.join(", ")}`;
  const heals = kinds.every((kind) => failurePolicy(kind, overrides).heals);
  const steps = scoresOf(state.failures, usualP0(state.failures), state.recent, (result) => {
    if (result === "done" || result === "absent") return 0;
    return Math.min(1, failurePolicy(result, overrides).breakerWeight) || undefined;
  });
  return evidence(state, "failures", state.failures, { reason, heals, ...steps });
}

/** The failures that moved the score since it left zero, as far back as they are kept; newest first. */
function troubleKinds(state: BreakerState, overrides?: PolicyOverrides): FailureKind[] {
  const kinds: FailureKind[] = [];
  let left = state.failures.bad;
  for (const result of readRecent(state.recent).toReversed()) {
    if (left <= 0) break;
    if (result === "done" || result === "absent") continue;
    const weight = Math.min(1, failurePolicy(result, overrides).breakerWeight);
    if (weight === 0) continue;
    kinds.push(result);
    left -= weight;
  }
  return kinds;
}

function evidence(
  state: BreakerState,
  chart: Evidence["chart"],
  { sinceMs }: Chart,
  facts: Pick<Evidence, "reason" | "heals" | "scores" | "limit">,
): Evidence {
  const counts = countResults(readRecent(state.recent));
  return { chart, counts, ...facts, ...(sinceMs > 0 && { sinceMs }) };
}

/** How the score came to where it is, as far back as outcomes are kept. `badnessOf` is undefined for outcomes that the chart does not judge. */
function scoresOf(
  chart: Chart,
  p0: number,
  recent: string,
  badnessOf: (result: RecentResult) => number | undefined,
): Required<Pick<Evidence, "scores" | "limit">> {
  const judged = readRecent(recent)
    .filter((result) => badnessOf(result) !== undefined)
    .slice(-chart.total);
  const scores = pastScores(
    chart,
    judged.map((result) => badnessOf(result)!),
    p0,
  );
  return { scores: judged.map((result, at) => ({ result, score: scores[at]! })), limit: TRIP };
}

function countResults(results: readonly RecentResult[]): ResultCounts {
  const counts: Partial<Record<RecentResult, number>> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

const shareOf = (chart: Chart, what: "records" | "items" | "attempts"): string => {
  const usual = usualShare(chart, what === "items" ? "absent" : "failures");
  const before = usual === undefined ? "" : ` (usually ${Math.round(usual * 100)} %)`;
  return `${Math.round(chart.bad)} of the last ${chart.total} ${what}${before}`;
};
