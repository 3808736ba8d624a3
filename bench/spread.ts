/** The middle of several runs and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median: rounded(median), min: rounded(sorted[0]!), max: rounded(sorted.at(-1)!) };
};

/** Three digits are more than such measurements hold. */
export const rounded = (value: number): number => Number(value.toPrecision(value >= 1_000 ? 4 : 3));

/** The value that so large a share of the others do not exceed. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!;
