import { logLikelihood, type Share, upperTail, varianceUnits } from "./beta-binomial.ts";

/**
 * How much a share varies from run to run is one of these sizes of a Beta distribution, from very rough to almost constant. The true one
 * need not be among them: a baseline is a mixture over all of them.
 */
const SIZES: readonly number[] = Array.from({ length: 17 }, (_, step) => 9 * 1.65 ** step);

/** How likely each of `SIZES` is before a field's own runs are seen. */
export type Prior = readonly number[];

const normal = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/** Before anything is known: wide, around a spread of a few points. */
export const PLAIN_PRIOR: Prior = normal(
  SIZES.map((size) => Math.exp(-0.5 * ((Math.log(size) - Math.log(150)) / 1.5) ** 2)),
);

interface Component {
  readonly size: number;
  readonly mean: number;
  /** How well the mean is known, in units of mean · (1 − mean). */
  readonly meanVariance: number;
  readonly weight: number;
}

/** What earlier runs say about a share. */
export interface Baseline {
  readonly mean: number;
  readonly runs: number;
  readonly components: readonly Component[];
}

/** Mean and likelihood of the runs for one size. Each run counts by how much it tells: a large run of a rough share tells little more than a small one. */
const fit = (runs: readonly Share[], size: number): Omit<Component, "weight"> & { logLikelihood: number } => {
  // One item that is half a hit: a share that was never seen is rare, not impossible.
  let [sum, total] = [0.5, 1];
  for (const { hits, of } of runs) {
    const weight = 1 / varianceUnits(of, size);
    sum += (weight * hits) / of;
    total += weight;
  }
  const mean = sum / total;
  const meanVariance = 1 / total;
  // The mean was fitted to the same runs. Without the second term, too large a size looks likely.
  const likelihood =
    runs.reduce((all, run) => all + logLikelihood(run, { mean, size }), 0) + 0.5 * Math.log(meanVariance);
  return { size, mean, meanVariance, logLikelihood: likelihood };
};

const posterior = (logs: readonly number[], prior: Prior): number[] => {
  const most = Math.max(...logs);
  return normal(logs.map((log, at) => prior[at]! * Math.exp(log - most)));
};

/** From at least one run with at least one item. */
export const learnBaseline = (runs: readonly Share[], prior: Prior): Baseline => {
  const fits = SIZES.map((size) => fit(runs, size));
  const weights = posterior(
    fits.map((one) => one.logLikelihood),
    prior,
  );
  const components = fits.map(({ size, mean, meanVariance }, at) => ({
    size,
    mean,
    meanVariance,
    weight: weights[at]!,
  }));
  const mean = components.reduce((sum, one) => sum + one.weight * one.mean, 0);
  return { mean, runs: runs.length, components };
};

const logit = (share: number): number => Math.log(share / (1 - share));
const fromLogit = (value: number): number => 1 / (1 + Math.exp(-value));

/** A shift of the log-odds, and how well it is known. */
export interface Shift {
  readonly by: number;
  readonly deviation: number;
}

export const NO_SHIFT: Shift = { by: 0, deviation: 0 };

export const shifted = (mean: number, { by }: Shift): number =>
  by === 0 ? mean : fromLogit(logit(mean) + by);

/** The shift of the log-odds from the baseline to a run. */
export const shiftOf = ({ hits, of }: Share, { mean }: Baseline): number =>
  logit((hits + 0.5) / (of + 1)) - logit(mean);

/** The probability that a run like the earlier ones has at least this many hits. */
export const tailProbability = (share: Share, baseline: Baseline, shift: Shift = NO_SHIFT): number =>
  baseline.components.reduce((sum, { size, mean: own, meanVariance, weight }) => {
    if (weight < 1e-9) return sum;
    const mean = shifted(own, shift);
    const spread = 1 / (size + 1) + meanVariance + mean * (1 - mean) * shift.deviation ** 2;
    return sum + weight * upperTail(share, { mean, size: Math.max(0.5, 1 / spread - 1) });
  }, 0);

/** As many fields as the plain prior counts for. */
const PLAIN_FIELDS = 10;
const ROUNDS = 40;

/** How likely each size is, from the runs of many fields: by expectation and maximisation, beginning with the plain prior, which never quite goes away. */
export const fitPrior = (fields: readonly (readonly Share[])[]): Prior => {
  const logs = fields
    .filter((runs) => runs.length > 1)
    .map((runs) => SIZES.map((size) => fit(runs, size).logLikelihood));
  let prior = PLAIN_PRIOR;
  for (let round = 0; round < ROUNDS && logs.length > 0; round++) {
    const sums = PLAIN_PRIOR.map((weight) => weight * PLAIN_FIELDS);
    for (const one of logs) for (const [at, weight] of posterior(one, prior).entries()) sums[at]! += weight;
    prior = normal(sums);
  }
  return prior;
};
