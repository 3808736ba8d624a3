/** How often a share was seen: `hits` of `of`. */
export interface Share {
  readonly hits: number;
  readonly of: number;
}

/** Lanczos (g = 7, n = 9); relative error below 1e-13 for positive numbers. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

export const logGamma = (z: number): number => {
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  const x = z - 1;
  let sum: number = LANCZOS[0];
  for (let at = 1; at < LANCZOS.length; at++) sum += LANCZOS[at]! / (x + at);
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
};

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b);

/** A share that varies by Beta(mean · size, (1 − mean) · size) from run to run: the smaller `size`, the more it does. */
interface Spread {
  readonly mean: number;
  readonly size: number;
}

export const logLikelihood = ({ hits, of }: Share, { mean, size }: Spread): number => {
  const [a, b] = [mean * size, (1 - mean) * size];
  return (
    logGamma(of + 1) -
    logGamma(hits + 1) -
    logGamma(of - hits + 1) +
    logBeta(hits + a, of - hits + b) -
    logBeta(a, b)
  );
};

/** Terms below this part of the sum so far change nothing. */
const NEGLIGIBLE = 1e-15;

/** The probability of at least this many hits. Exact; meant for hits above the mean, where the terms decrease quickly. */
export const upperTail = (share: Share, spread: Spread): number => {
  const { hits, of } = share;
  const [a, b] = [spread.mean * spread.size, (1 - spread.mean) * spread.size];
  let term = Math.exp(logLikelihood(share, spread));
  let sum = term;
  for (let k = hits; k < of && term > sum * NEGLIGIBLE; k++) {
    term *= ((of - k) * (k + a)) / ((k + 1) * (of - k - 1 + b));
    sum += term;
  }
  return Math.min(1, sum);
};

/**
 * Variance of a share of `of` in units of mean · (1 − mean): the part of sampling, and the part by which runs differ. The second does not go away
 * with more items.
 */
export const varianceUnits = (of: number, size: number): number => 1 / of + (1 - 1 / of) / (size + 1);
