import { FIELD_STATUSES } from "./record.ts";

export interface FallenField {
  readonly field: string;
  /** Shares of records with a value, before and now. */
  readonly from: number;
  readonly to: number;
}

/** Fewer records than this say nothing about a share. */
const LEAST_RECORDS = 20;
const PRESENT = FIELD_STATUSES.indexOf("present");
const WIDTH = FIELD_STATUSES.length;

/**
 * Fields whose share of records with a value is lower by `drop` or more than in one of the baselines: since `start`, against what was before. All
 * counts as in `JobView.fieldCounts`.
 */
export const fallenFields = (
  fields: readonly string[],
  counts: { readonly total: readonly number[]; readonly start: readonly number[] },
  baselines: readonly (readonly number[])[],
  drop: number,
): FallenField[] => {
  const recent = counts.total.map((count, at) => count - (counts.start[at] ?? 0));
  return fields.flatMap((field, at) => {
    const to = presentShare(recent, at);
    const known = baselines
      .map((baseline) => presentShare(baseline, at))
      .filter((share) => share !== undefined);
    if (to === undefined || known.length === 0) return [];
    const from = Math.max(...known);
    return from - to >= drop ? [{ field, from, to }] : [];
  });
};

const presentShare = (counts: readonly number[], field: number): number | undefined => {
  const own = counts.slice(field * WIDTH, (field + 1) * WIDTH);
  const records = own.reduce((sum, count) => sum + count, 0);
  return records < LEAST_RECORDS ? undefined : (own[PRESENT] ?? 0) / records;
};
