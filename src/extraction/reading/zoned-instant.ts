/** A date and time of day as a clock on the wall shows it. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** Makes a function that tells how far a zone's clock is ahead of UTC at an instant. */
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

/** Makes a function that gives the day that a zone's calendar shows at an instant, as `2024-02-09`. */
export function zonedDay(timeZone: string): (at: number) => string {
  const aheadMs = clockOf(timeZone);
  return (at) => isoInstant(at + aheadMs(at)).slice(0, "YYYY-MM-DD".length);
}

/**
 * Makes a function that gives the instant at which a zone's clock shows a time, as `2024-02-09T22:05:00Z`. Of an hour that
 * comes twice it is the first; an hour that is left out is counted on from before the change. Throws `RangeError` on a zone that does
 * not exist.
 */
export function zonedInstant(timeZone: string): (time: WallTime) => string {
  const aheadMs = clockOf(timeZone);
  return (time) => {
    const shown = utcMs(time);
    const before = aheadMs(shown - DAY_MS);
    const after = aheadMs(shown + DAY_MS);
    // The offsets on both sides of a change of clocks, the earlier instant first; one that shows the time is right.
    const [first, second] = [shown - Math.max(before, after), shown - Math.min(before, after)];
    const fits = (at: number): boolean => at + aheadMs(at) === shown;
    return isoInstant(fits(first) ? first : fits(second) ? second : shown - before);
  };
}

const DAY_MS = 86_400_000;

export function utcMs({ year, month, day, hour, minute, second, millisecond }: WallTime): number {
  const date = new Date(0);
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

export const isoInstant = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

/** Formats of dates that are counted from the first of January 1970, in seconds or milliseconds. */
const EPOCHS: Readonly<Record<string, RegExp>> = {
  epoch: /^(?<seconds>-?\d{1,12}(?:\.\d{1,9})?)$/,
  "epoch-ms": /^(?<ms>-?\d{1,15})$/,
};
/** As .NET puts dates into JSON. The offset, where there is one, does not move the instant. */
const DOT_NET = /^\\?\/Date\((?<ms>-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;
/** The end of the year 9999: what is beyond was counted in another unit. */
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
