/** Local times of a zone and the instants that they are. A local time is written as milliseconds, as if it were UTC. */
export interface Zone {
  readonly name: string;
  /** Local time minus UTC, in milliseconds. */
  readonly offsetAt: (at: number) => number;
}

/** The next time after this instant; undefined if there is none. Pure. */
export type NextTime = (after: number) => number | undefined;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Undefined for what is no name of the IANA database. Offsets such as `+02:00` know no summer time, and are none. */
export const openZone = (name: string): Zone | undefined => {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-CA", { timeZone: name, hourCycle: "h23", ...PARTS });
  } catch {
    return undefined;
  }
  return { name, offsetAt: (at) => localOf(format.format(at)) - Math.floor(at / 1000) * 1000 };
};

const PARTS = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;

/** Of `2026-11-17, 06:00:00`. */
const localOf = (text: string): number => {
  const [year = 0, month = 1, ...rest] = text.split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
};

/** The first instant in `(after, upTo]` with another offset than `after` has, to the second. There must be one. */
const changeIn = ({ offsetAt }: Zone, after: number, upTo: number): number => {
  const before = offsetAt(after);
  let [low, high] = [Math.floor(after / 1000), Math.ceil(upTo / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
};

/** The first instant that shows this local time. A time that is left out when clocks go forward becomes the first instant after the gap. */
export const instantOf = (zone: Zone, local: number): number => {
  const { offsetAt } = zone;
  const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
  const first = local - before;
  if (before === after || offsetAt(first) === before) return first;
  const second = local - after;
  return offsetAt(second) === after ? second : changeIn(zone, second, first);
};

/** Each local time is one instant: one in the gap comes right after it, one in the fold comes once. Times that share a gap are one. */
export const onceEach =
  (zone: Zone, nextLocal: NextTime): NextTime =>
  (after) => {
    for (let local = nextLocal(after + zone.offsetAt(after)); local !== undefined; local = nextLocal(local)) {
      const at = instantOf(zone, local);
      if (at > after) return at;
    }
    return undefined;
  };

/** For patterns of every hour: each instant whose local time fits, so both hours of a fold, and nothing for a gap. */
export const everyInstant =
  (zone: Zone, nextLocal: NextTime): NextTime =>
  (after) => {
    const { offsetAt } = zone;
    /** All instants after this one are still to be checked. */
    let from = Math.floor(after / 1000) * 1000 + 1000;
    for (;;) {
      const offset = offsetAt(from);
      const local = nextLocal(from + offset - 1000);
      if (local === undefined) return undefined;
      const at = local - offset;
      // No offset moves by more than a day: nothing fits in between.
      if (at - from > 3 * DAY_MS) from = at - 2 * DAY_MS;
      else if (offsetAt(at) === offset) return at;
      else from = changeIn(zone, from, at);
    }
  };
