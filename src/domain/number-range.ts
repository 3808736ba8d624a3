/** The allowed range of a given number. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  /** Added to the range in messages: the unit, or what the minimum means. */
  readonly note?: string;
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const YEAR = 365 * DAY;

const whole = (min: number, max: number, note?: string): NumberRange => ({
  min,
  max,
  isWhole: true,
  ...(note !== undefined && { note }),
});
const any = (min: number, max: number, note?: string): NumberRange => ({
  ...whole(min, max, note),
  isWhole: false,
});

/**
 * Every number that a client, a scraper, the configuration or the command line can set, by name: one row applies wherever the number is set. The
 * minimum rate is one request per day, so that no lane stops for longer than that.
 */
export const RANGES = {
  perSecond: any(1 / 86_400, 100_000, "requests per second; the minimum is one per day"),
  burst: any(1, 10_000, "requests"),
  concurrency: whole(1, 100_000, "items"),
  weight: any(0.001, 1000),
  priority: whole(-100, 100),
  maxAttempts: whole(1, 100),
  checkedOneIn: whole(1, 1_000_000, "items"),
  deadlineMs: whole(0, 100 * YEAR, "milliseconds from now, up to a hundred years"),
  requests: whole(1, 1e12),
  bytes: whole(1, 1e15),
  cost: any(0.000001, 1e9, "in the configured currency"),
  maxAgeMs: whole(0, 10 * YEAR, "milliseconds, ten years"),
  progressMs: whole(SECOND, DAY, "milliseconds, a second to a day"),
  maxItems: whole(1, 1e9),
  maxDepth: whole(1, 1000),
  maxChain: whole(1, 1_000_000),
  inputs: whole(1, 1e9),
  itemsPerDay: whole(0, 1e12),
  requestsPerDay: whole(0, 1e12),
  bytesPerDay: whole(0, 1e15),
  costPerDay: any(0, 1e9, "in the configured currency"),
  maxRunning: whole(1, 1_000_000),
  requestsPerMinute: whole(1, 1_000_000),
  maxOpenJobs: whole(0, 1_000_000),
  maxStoredBytes: whole(0, 1e15),
  retentionMs: whole(SECOND, 100 * YEAR, "milliseconds, a second to a hundred years"),
  retryAfterMs: whole(SECOND, DAY, "milliseconds, a second to a day"),
  logMb: any(0.001, 1_000_000, "megabytes"),
  logFiles: whole(0, 10_000, "files"),
  freeMb: any(0, 1e9, "megabytes"),
  idleMs: whole(0, DAY, "milliseconds, up to a day"),
  drainMs: whole(0, DAY, "milliseconds, up to a day"),
  everyMs: whole(60 * SECOND, 366 * DAY, "milliseconds, a minute to a year"),
  catchUpMs: whole(0, 366 * DAY, "milliseconds, up to a year"),
  jitterMs: whole(0, DAY, "milliseconds, up to a day"),
  alertNumber: any(Number.MIN_VALUE, 10 * YEAR),
} as const satisfies Readonly<Record<string, NumberRange>>;

/** Rows of a scraper's `limits`. */
export const LIMIT_RANGES = {
  requestMs: whole(1, 3600 * SECOND, "milliseconds, up to an hour"),
  itemMs: whole(1, DAY, "milliseconds, up to a day"),
  bodyBytes: whole(1, 2e9),
  decodedBytes: whole(1, 2e9),
  fileBytes: whole(1, 1e12),
  redirects: whole(0, 100),
  hops: whole(0, 1_000_000),
  depth: whole(0, 1000),
  chain: whole(0, 1_000_000),
} as const satisfies Readonly<Record<string, NumberRange>>;

/** Numbers in a row of a scraper's `failures`, and in its `backoff`. */
export const POLICY_RANGES = {
  maxAttempts: RANGES.maxAttempts,
  breakerWeight: any(0, 1),
  freshMs: RANGES.maxAgeMs,
} as const satisfies Readonly<Record<string, NumberRange>>;

export const BACKOFF_RANGES = {
  firstMs: any(0, DAY, "milliseconds, up to a day"),
  factor: any(1, 100),
  maxMs: any(0, DAY, "milliseconds, up to a day"),
} as const satisfies Readonly<Record<string, NumberRange>>;

export const PACE_RANGES = {
  perSecond: RANGES.perSecond,
  burst: RANGES.burst,
  concurrency: RANGES.concurrency,
} as const satisfies Readonly<Record<string, NumberRange>>;

export const isWithin = ({ min, max, isWhole }: NumberRange, value: unknown): value is number =>
  typeof value === "number" && value >= min && value <= max && (!isWhole || Number.isInteger(value));

/** "a whole number from 1 to 100". */
export const rangeText = ({ min, max, isWhole, note }: NumberRange): string =>
  `a ${isWhole ? "whole " : ""}number from ${shown(min)} to ${shown(max)}${note === undefined ? "" : ` (${note})`}`;

/** As `toLocaleString("en-US")`, whose first call takes 20 ms: schemas need this text in every process. */
const shown = (value: number): string =>
  Number.isInteger(value)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, ",")
    : String(Number(value.toPrecision(3)));

/** What is wrong with the first number of an object that is out of its range; undefined where nothing is. */
export const numberProblem = (
  given: unknown,
  ranges: Readonly<Record<string, NumberRange>>,
  what: string,
): string | undefined => {
  if (typeof given !== "object" || given === null) return undefined;
  for (const [name, value] of Object.entries(given)) {
    const range = ranges[name];
    if (range && value !== undefined && !isWithin(range, value))
      return `\`${what}.${name}\` is ${typeof value === "number" ? value : (JSON.stringify(value) ?? typeof value)}: expected ${rangeText(range)}.`;
  }
  return undefined;
};

/** A year is 365 days. */
const UNITS_MS: Readonly<Record<string, number>> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY,
  w: 7 * DAY,
  y: 365 * DAY,
};

/** `90s`, `15m`, `12h`, `7d`, `2w`, `1y`, in milliseconds; undefined for anything else. */
export const readDuration = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,9})([smhdwy])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit!]!;
};
