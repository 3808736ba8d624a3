/** A local date and time of day. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Returns a function that gives a zone's offset from UTC at an instant. */
function clockOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const second = Math.floor(at / 1000) * 1000;
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(second)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: shown = 0 } = parts;
    return utcMs({ year, month, day, hour, minute, second: shown, millisecond: 0 }) - second;
  };
}

/** Returns a function that gives the local day in a zone at an instant, as `2024-02-09`. */
export function zonedDay(timeZone: string): (at: number) => string {
  const aheadMs = clockOf(timeZone);
  return (at) => isoInstant(at + aheadMs(at)).slice(0, "YYYY-MM-DD".length);
}

/**
 * Returns a function that gives the instant of a local time in a zone, as `2024-02-09T22:05:00Z`. Of an hour that occurs twice it is the
 * first; a skipped hour is counted from before the change. Throws `RangeError` for an unknown
 * zone.
 */
export function zonedInstant(timeZone: string): (time: WallTime) => string {
  const aheadMs = clockOf(timeZone);
  return (time) => {
    const shown = utcMs(time);
    const before = aheadMs(shown - DAY_MS);
    const after = aheadMs(shown + DAY_MS);
    // The offsets on both sides of a clock change, the earlier instant first; the one that shows the time is right.
    const [first, second] = [shown - Math.max(before, after), shown - Math.min(before, after)];
    const fits = (at: number): boolean => at + aheadMs(at) === shown;
    return isoInstant(fits(first) ? first : fits(second) ? second : shown - before);
  };
}

const DAY_MS = 86_400_000;

export function utcMs({ year, month, day, hour, minute, second, millisecond }: WallTime): number {
  const date = new Date(0);
  // Date.UTC treats the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

export const isoInstant = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

/** Formats that count from 1 January 1970, in seconds or milliseconds. */
const EPOCHS: Readonly<Record<string, RegExp>> = {
  epoch: /^(?<seconds>-?\d{1,12}(?:\.\d{1,9})?)$/,
  "epoch-ms": /^(?<ms>-?\d{1,15})$/,
};
/** As .NET writes dates into JSON. An offset does not change the instant. */
const DOT_NET = /^\\?\/Date\((?<ms>-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;
/** The end of the year 9999: larger numbers use another unit. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const isEpochFormat = (format: string): boolean => Object.hasOwn(EPOCHS, format);

/** The instant of a text in one of these formats; `/Date(…)/` is read by default and as `epoch-ms`. */
export function epochMs(text: string, formats: readonly string[]): number | undefined {
  const patterns = formats.flatMap((format) => EPOCHS[format] ?? []);
  if (formats.length === 0 || formats.includes("epoch-ms")) patterns.push(DOT_NET);
  for (const pattern of patterns) {
    const { seconds, ms } = pattern.exec(text)?.groups ?? {};
    if (seconds === undefined && ms === undefined) continue;
    const at = seconds === undefined ? Number(ms) : Math.trunc(Number(seconds) * 1000);
    if (Math.abs(at) <= LATEST_MS) return at;
  }
  return undefined;
}
