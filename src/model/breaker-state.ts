import { isTripped, newChart, restart, type Chart } from "./chart.ts";

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

export interface FieldChart {
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
export function cleanChart(records: number): Chart {
  const weight = PRIOR.weight + records;
  return newChart((PRIOR.usual * PRIOR.weight) / weight, weight);
}

const newAbsentChart = (): Chart => newChart(ABSENT_PRIOR.usual, ABSENT_PRIOR.weight);
