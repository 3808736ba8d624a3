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
  /** When the score left zero; 0 if unknown. */
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
  const score = Math.max(0, chart.score + stepOf(badness, p0));
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

const stepOf = (badness: number, p0: number): number => (badness === 0 ? GOOD_STEP : badness * badStep(p0));

/**
 * The scores after each of the last outcomes, computed backwards from the score now. Since the score left zero nothing was learned, so all of these outcomes were judged
 * with the same p0.
 */
export function pastScores(chart: Chart, badness: readonly number[], p0: number): number[] {
  const scores: number[] = [];
  let score = chart.score;
  for (const bad of badness.toReversed()) {
    scores.push(Math.round(score * 100) / 100);
    score -= stepOf(bad, p0);
  }
  return scores.toReversed();
}

const badStep = (p0: number): number => Math.log((1 - GOOD_LEFT * (1 - p0)) / p0);

/** Adds what was seen since the score left zero to the usual share, and restarts from zero. */
export const learn = ({ usual, weight, bad, total }: Chart): Chart =>
  newChart((usual * weight + bad) / (weight + total), weight + total);

/** Same baseline, score zero; `weight` limits how much the past counts. */
export const restart = (chart: Chart, weight: number = MEMORY): Chart =>
  newChart(chart.usual, Math.min(chart.weight, weight));

export const isTripped = (chart: Chart): boolean => chart.score >= TRIP;
