import type { DriftReport, Finding, Measured, RunShares } from "./drift.ts";
import { FIELD_STATUSES, type FieldStatus } from "./record.ts";

/** The values of one field in one run. */
export type FieldQuality = Readonly<Record<FieldStatus, number>> & {
  /** How often the most common value occurred. */
  readonly commonest: number;
  /** Values for keys that also had a value in the previous run, and how many of them changed. */
  readonly paired: number;
  readonly changed: number;
  /** Pairs of numbers, and how many are at least three times larger or smaller than before. */
  readonly pairedNumbers: number;
  readonly wild: number;
  /** Numbers that were compared with the range of earlier runs, and how many are outside. */
  readonly banded: number;
  readonly outside: number;
  /** The range of the run's own numbers, without one in a thousand at each end. */
  readonly band?: Band;
};

export interface Band {
  readonly low: number;
  readonly high: number;
  readonly numbers: number;
}

/** What is kept of a run for comparisons: one document for each job that has ended. */
export interface RunQuality {
  readonly scraper: string;
  readonly client: string;
  readonly job: string;
  readonly version: string;
  readonly endedAt: number;
  /** The extraction that was counted; the run's own records when left out. */
  readonly extraction?: string;
  /** The job whose values these were compared with. */
  readonly before?: string;
  readonly items: Readonly<Record<"done" | "absent" | "failed" | "skipped", number>>;
  readonly records: number;
  readonly requests: number;
  readonly bytes: number;
  readonly fields: Readonly<Record<string, FieldQuality>>;
  /** The result of the comparison; its findings are separate documents. */
  readonly drift?: Omit<DriftReport, "run" | "findings">;
}

/** A finding about a run, before and after someone accepts it. */
export interface StoredFinding extends Finding {
  /** `JOB.NUMBER`. */
  readonly id: string;
  readonly scraper: string;
  readonly client: string;
  readonly job: string;
  /** When the run ended. */
  readonly at: number;
  /** Keys of items to look at. */
  readonly examples: readonly string[];
  /** After this, the run is part of the baseline. */
  readonly accepted?: { readonly at: number; readonly by: string; readonly reason: string };
}

/** The shares of a run that drift is computed from. `open`: the keys of open findings about it. */
export const runShares = (run: RunQuality, open: readonly string[] = []): RunShares => {
  const { done, absent, failed, skipped } = run.items;
  const items = done + absent + failed + skipped;
  const fields = Object.entries(run.fields).flatMap(([field, quality]): Measured[] => {
    const { missing, malformed, present, commonest } = quality;
    const of = FIELD_STATUSES.reduce((sum, status) => sum + quality[status], 0);
    return [
      { measure: "no-value", field, share: { hits: of - present, of } },
      { measure: "unread", field, share: { hits: missing + malformed, of } },
      { measure: "changed", field, share: { hits: quality.changed, of: quality.paired } },
      { measure: "wild", field, share: { hits: quality.wild, of: quality.pairedNumbers } },
      { measure: "outside", field, share: { hits: quality.outside, of: quality.banded } },
      { measure: "commonest", field, share: { hits: commonest, of: present } },
    ];
  });
  return {
    id: run.job,
    at: run.endedAt,
    items,
    pages: run.requests,
    bytes: run.bytes,
    shares: [
      { measure: "absent", share: { hits: absent, of: items } },
      { measure: "failed", share: { hits: failed, of: items } },
      ...fields,
    ],
    open,
  };
};

/** The range of earlier runs: as wide as the widest of them. Undefined while there are too few numbers. */
export const bandOf = (earlier: readonly RunQuality[], field: string): Band | undefined => {
  const bands = earlier.flatMap(({ fields }) => fields[field]?.band ?? []);
  const numbers = bands.reduce((sum, band) => sum + band.numbers, 0);
  if (numbers < LEAST_NUMBERS) return undefined;
  return {
    low: Math.min(...bands.map(({ low }) => low)),
    high: Math.max(...bands.map(({ high }) => high)),
    numbers,
  };
};

/** With fewer numbers, the ends of a range are unknown. */
const LEAST_NUMBERS = 100;

/** The low and high ends of numbers: all but one in a thousand on either side. The numbers are sorted in place. */
export const bandIn = (numbers: Float64Array, total: number): Band | undefined => {
  if (numbers.length === 0) return undefined;
  numbers.sort();
  const at = Math.floor(numbers.length / 1000);
  return { low: numbers[at]!, high: numbers[numbers.length - 1 - at]!, numbers: total };
};
