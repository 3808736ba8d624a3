import {
  type Baseline,
  fitPrior,
  learnBaseline,
  NO_SHIFT,
  PLAIN_PRIOR,
  type Prior,
  type Shift,
  shifted,
  shiftOf,
  tailProbability,
} from "./baseline.ts";
import type { Share } from "./beta-binomial.ts";

/**
 * What is compared between runs, each as a share that is worse the higher it is. `changed` only warns: a yearly
 * revaluation changes every value, and that is correct.
 */
export const MEASURES = {
  "no-value": { of: "field", says: "records without a value", blocks: true },
  unread: { of: "field", says: "values missing or malformed", blocks: true },
  changed: { of: "field", says: "values changed since the previous run", blocks: false },
  wild: {
    of: "field",
    says: "values at least three times larger or smaller than in the previous run",
    blocks: true,
  },
  outside: { of: "field", says: "values outside the range of earlier runs", blocks: true },
  commonest: { of: "field", says: "values equal to the most common one", blocks: true },
  absent: { of: "run", says: "items absent", blocks: true },
  failed: { of: "run", says: "items failed", blocks: true },
  fewer: { of: "run", says: "fewer items than usual", blocks: true },
  smaller: { of: "run", says: "fewer bytes per page than usual", blocks: true },
} as const satisfies Readonly<Record<string, { of: "field" | "run"; says: string; blocks: boolean }>>;
export type Measure = keyof typeof MEASURES;

/** One share of a run: of a field, or of the run itself. */
export interface Measured {
  readonly measure: Measure;
  readonly field?: string;
  readonly share: Share;
}

/** What drift is computed from. */
export interface RunShares {
  readonly id: string;
  readonly at: number;
  readonly items: number;
  readonly pages: number;
  readonly bytes: number;
  readonly shares: readonly Measured[];
  /** Keys of open findings about it: these shares are not part of the baseline. */
  readonly open?: readonly string[];
}

export interface Finding {
  readonly measure: Measure;
  /** Omitted if it is about the run, or if most fields have changed together. */
  readonly field?: string;
  readonly share: Share;
  /** The share expected from earlier runs. */
  readonly expected: number;
  /** Number of earlier runs behind it. */
  readonly runs: number;
  readonly probability: number;
  /** In percentage points. */
  readonly points: number;
  readonly level: "warn" | "block";
  /** If most fields have changed together: these fields. */
  readonly fields?: readonly string[];
}

/** Most fields of a run have changed together, within the limits of a season: fields are compared with their shifted baseline. */
interface CommonShift {
  readonly measure: Measure;
  readonly logOdds: number;
  readonly points: number;
  readonly fields: number;
}

export interface DriftReport {
  readonly run: string;
  readonly tests: number;
  /** Shares that were not tested: too small, or without earlier runs. */
  readonly unjudged: number;
  /** Earlier runs that count. */
  readonly history: number;
  readonly canBlock: boolean;
  readonly findings: readonly Finding[];
  readonly shifts: readonly CommonShift[];
}

export interface DriftOptions {
  /** False findings among all: Benjamini and Hochberg's q. */
  readonly q?: number;
  /** The minimum difference that matters, in percentage points; by field where a single number is not enough. */
  readonly points?: number;
  readonly pointsOf?: Readonly<Record<string, number>>;
  readonly priors?: Priors;
}

export type Priors = Readonly<Partial<Record<Measure, Prior>>>;

const Q = 0.01;
const POINTS = 3;
/** Shares of fewer items are only reported. */
export const LEAST_ITEMS = 30;
/** Number of runs in the baseline. */
export const RECENT_RUNS = 8;
/** With fewer earlier runs, findings only warn. */
export const RUNS_TO_BLOCK = 4;
/** With this many runs, a run is also compared with those of the same season. */
const RUNS_FOR_SEASON = 26;
const LEAST_SEASON_RUNS = 3;
/** A smaller common shift of most fields, in log-odds, may be caused by the season. */
const SEASON_SHIFT = 1;
/** With fewer fields, a common shift cannot be distinguished from a change in one field. */
const FIELDS_FOR_SHIFT = 4;

export const keyOf = ({ measure, field }: Pick<Measured, "measure" | "field">): string =>
  field === undefined ? measure : `${measure}:${field}`;

/** Compares a run with earlier ones of the same scraper, in any order. The run itself is never part of them. */
export const judgeDrift = (
  run: RunShares,
  earlier: readonly RunShares[],
  options: DriftOptions = {},
): DriftReport => {
  const { q = Q, points = POINTS, pointsOf = {}, priors = {} } = options;
  const before = earlier.filter(({ id, at }) => id !== run.id && at < run.at).toSorted((a, b) => b.at - a.at);
  const history = before.slice(0, RECENT_RUNS).filter(({ items }) => items >= LEAST_ITEMS).length;
  const canBlock = history >= RUNS_TO_BLOCK;
  const shares = sharesOf(run, before);
  const past = before.map((one, at) => ({ at: one.at, shares: judgedShares(one, before.slice(at + 1)) }));
  const tests = shares.flatMap((measured) => testOf(measured, run.at, past, priors));
  const { shiftBy, shifts, common } = commonShifts(tests, { q, points });
  const judged = tests.map((test) => {
    const shift = shiftBy.get(test.measure) ?? NO_SHIFT;
    const least = (test.field === undefined ? undefined : pointsOf[test.field]) ?? points;
    return { test, ...verdict(test, shift, least) };
  });
  const limit = benjaminiHochberg(
    judged.map(({ probability }) => probability),
    q,
  );
  const level = (measure: Measure): Finding["level"] =>
    canBlock && MEASURES[measure].blocks ? "block" : "warn";
  const findings = judged
    .filter(({ probability, isLarge }) => isLarge && probability <= limit)
    .map(({ test, expected, probability, effect }): Finding => ({
      measure: test.measure,
      ...(test.field !== undefined && { field: test.field }),
      share: test.share,
      expected,
      runs: test.baselines[0].runs,
      probability,
      points: effect,
      level: level(test.measure),
    }));
  return {
    run: run.id,
    tests: tests.length,
    unjudged: shares.length - tests.length,
    history,
    canBlock,
    findings: [...common.map((one) => ({ ...one, level: level(one.measure) })), ...findings],
    shifts,
  };
};

/** How much shares vary, from the runs of all given scrapers: one prior for each measure. */
export const learnPriors = (scrapers: readonly (readonly RunShares[])[]): Priors => {
  const series = new Map<Measure, Share[][]>();
  for (const runs of scrapers) {
    const ordered = runs.toSorted((a, b) => b.at - a.at);
    const own = new Map<string, { measure: Measure; shares: Share[] }>();
    for (const [at, run] of ordered.slice(0, RECENT_RUNS).entries())
      for (const [key, { measure, share }] of judgedShares(run, ordered.slice(at + 1))) {
        const known = own.get(key) ?? { measure, shares: [] };
        own.set(key, known);
        known.shares.push(share);
      }
    for (const { measure, shares } of own.values())
      series.set(measure, [...(series.get(measure) ?? []), shares]);
  }
  return Object.fromEntries([...series].map(([measure, all]) => [measure, fitPrior(all)]));
};

interface Test extends Measured {
  /** Of the newest runs, then of those of the same season. */
  readonly baselines: readonly [Baseline, ...Baseline[]];
}

interface PastRun {
  readonly at: number;
  readonly shares: ReadonlyMap<string, Measured>;
}

/** The shares of a run that can be part of a baseline, by key. */
const judgedShares = (run: RunShares, before: readonly RunShares[]): Map<string, Measured> =>
  new Map(
    sharesOf(run, before)
      .filter(({ share, measure, field }) => {
        const open = run.open ?? [];
        return (
          share.of >= LEAST_ITEMS &&
          !open.includes(measure) &&
          !open.includes(keyOf({ measure, ...(field !== undefined && { field }) }))
        );
      })
      .map((measured) => [keyOf(measured), measured]),
  );

const testOf = (measured: Measured, runAt: number, runs: readonly PastRun[], priors: Priors): Test[] => {
  if (measured.share.of < LEAST_ITEMS) return [];
  const key = keyOf(measured);
  const past = runs.flatMap(({ at, shares }) => {
    const share = shares.get(key)?.share;
    return share ? [{ at, share }] : [];
  });
  if (past.length === 0) return [];
  const learn = (some: typeof past): Baseline =>
    learnBaseline(
      some.slice(0, RECENT_RUNS).map(({ share }) => share),
      priors[measured.measure] ?? PLAIN_PRIOR,
    );
  const seasons = past.length < RUNS_FOR_SEASON ? [] : SEASONS;
  const alike = seasons
    .map((isSame) => past.filter(({ at }) => isSame(at, runAt)))
    .filter((same) => same.length >= LEAST_SEASON_RUNS);
  return [{ ...measured, baselines: [learn(past), ...alike.map(learn)] }];
};

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365.2425;

/** Week of the month, and within ten days of the same day of the year. */
const SEASONS: readonly ((a: number, b: number) => boolean)[] = [
  (a, b) => weekOfMonth(a) === weekOfMonth(b),
  (a, b) => {
    const days = Math.abs(a - b) / DAY_MS;
    const years = Math.round(days / YEAR_DAYS);
    return years > 0 && Math.abs(days - years * YEAR_DAYS) <= 10;
  },
];
const weekOfMonth = (at: number): number => Math.ceil(new Date(at).getUTCDate() / 7);

/** A run's own shares, and those that only earlier runs give a meaning: how many items and bytes are usual. */
const sharesOf = (run: RunShares, before: readonly RunShares[]): readonly Measured[] => {
  const recent = before.slice(0, RECENT_RUNS).filter(({ items }) => items > 0);
  if (recent.length === 0) return run.shares;
  const items = median(recent.map((one) => one.items));
  const paged = recent.filter(({ pages }) => pages > 0);
  const size = median(paged.map(({ bytes, pages }) => bytes / pages));
  const less = (now: number, usual: number): number => (usual > 0 ? Math.max(0, 1 - now / usual) : 0);
  return [
    ...run.shares,
    { measure: "fewer", share: { hits: Math.round(less(run.items, items) * items), of: Math.round(items) } },
    ...(run.pages > 0 && paged.length > 0
      ? [
          {
            measure: "smaller" as const,
            share: { hits: Math.round(less(run.bytes / run.pages, size) * run.pages), of: run.pages },
          },
        ]
      : []),
  ];
};

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

interface Verdict {
  readonly expected: number;
  readonly effect: number;
  readonly isLarge: boolean;
  readonly probability: number;
}

/** The mildest result of all comparisons for a share. A difference that is too small is not computed: its probability counts as 1. */
const verdict = ({ share, baselines }: Test, shift: Shift, least: number): Verdict => {
  const worse = shift.by > 0 ? shift : NO_SHIFT;
  const now = share.hits / share.of;
  const all = baselines.map((baseline) => {
    const expected = shifted(baseline.mean, worse);
    const effect = 100 * (now - expected);
    const isLarge = effect >= least;
    return { expected, effect, isLarge, probability: isLarge ? tailProbability(share, baseline, worse) : 1 };
  });
  return all.reduce((mildest, one) => (one.probability > mildest.probability ? one : mildest));
};

/** The highest probability that is a finding: of m tests, the k-th lowest where it is at most q · k ÷ m. */
const benjaminiHochberg = (probabilities: readonly number[], q: number): number => {
  const sorted = probabilities.toSorted((a, b) => a - b);
  return sorted.findLast((one, at) => one <= (q * (at + 1)) / sorted.length) ?? -1;
};

/** For each measure, the common shift of its fields: the median, if it clearly differs from zero. */
const commonShifts = (
  tests: readonly Test[],
  { q, points }: { readonly q: number; readonly points: number },
): {
  readonly shiftBy: ReadonlyMap<Measure, Shift>;
  readonly shifts: readonly CommonShift[];
  readonly common: readonly Omit<Finding, "level">[];
} => {
  const shiftBy = new Map<Measure, Shift>();
  const shifts: CommonShift[] = [];
  const common: Omit<Finding, "level">[] = [];
  const byMeasure = Map.groupBy(
    tests.filter(({ field }) => field !== undefined),
    ({ measure }) => measure,
  );
  for (const [measure, group] of byMeasure) {
    if (group.length < FIELDS_FOR_SHIFT) continue;
    const moves = group.map(({ share, baselines }) => shiftOf(share, baselines[0]));
    const by = median(moves);
    // 1.4826 · 1.2533: from the median deviation to the standard error of a median.
    const deviation = (1.858 * median(moves.map((move) => Math.abs(move - by)))) / Math.sqrt(group.length);
    if (by <= 2 * deviation) continue;
    shiftBy.set(measure, { by, deviation });
    const effects = group.map(({ share, baselines }) => 100 * (share.hits / share.of - baselines[0].mean));
    const found = group.filter((test) => {
      const { isLarge, probability } = verdict(test, NO_SHIFT, points);
      return isLarge && probability <= q;
    });
    const total = median(effects);
    if (by > SEASON_SHIFT && found.length > group.length / 2) {
      const sum = (of: (test: Test) => number): number => found.reduce((all, test) => all + of(test), 0);
      const of = sum(({ share }) => share.of);
      common.push({
        measure,
        share: { hits: sum(({ share }) => share.hits), of },
        expected: sum(({ share, baselines }) => share.of * baselines[0].mean) / of,
        runs: Math.max(...found.map(({ baselines }) => baselines[0].runs)),
        probability: Math.max(...found.map((test) => verdict(test, NO_SHIFT, points).probability)),
        points: total,
        fields: found.flatMap(({ field }) => field ?? []),
      });
    } else shifts.push({ measure, logOdds: by, points: total, fields: group.length });
  }
  return { shiftBy, shifts, common };
};
