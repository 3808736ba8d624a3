import { datePattern } from "./date-format.ts";
import { monthsOf } from "./months.ts";
import { quoted } from "./quoted.ts";
import type { Reading } from "./reading.ts";
import { weekdayRemover } from "./weekdays.ts";
import { isoInstant, utcMs, zonedInstant } from "./zoned-instant.ts";
import type { WallTime } from "./zoned-instant.ts";

/** Reads a date as one of its formats and gives it as `YYYY-MM-DD`, or as an instant. */
export type ReadDate = (text: string) => Reading<string>;

type Parts = Readonly<Record<string, string | undefined>>;

const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d+)?)?(?: ?(?<offset>Z|[+-]\d\d(?::?\d\d)?))?)?$/i;
/** A text with more is no date, and must not be searched for one. */
const LONGEST = 100;

/**
 * Formats are made of YYYY, YY, MMMM and MMM (names, long or short), MM, M, DD, D, Do (1st), dddd and ddd (weekday), HH, H, hh, h, mm,
 * ss, A (am or pm), Z (offset), z (name of a zone, passed over); words to be skipped stand in [brackets]. A time is checked; without `timeZone` it is
 * dropped, with it the date is an instant. Two digits are of the years 1969 to 2068. Throws on a bad format, locale or zone.
 */
export function dateReader(formats: readonly string[] = [], locale = "en", timeZone?: string): ReadDate {
  const months = monthsOf(locale);
  const withoutWeekday = weekdayRemover(locale);
  const patterns = formats.length === 0 ? [ISO] : formats.map((format) => datePattern(format, months));
  const wanted = formats.length === 0 ? "YYYY-MM-DD" : formats.join(" or ");
  const toInstant = timeZone === undefined ? undefined : zonedInstant(timeZone);

  return (text) => {
    const notDate = { problem: `${quoted(text)} is not a date like ${wanted}` };
    if (text.length > LONGEST) return notDate;
    if (/^[0\s/.:-]*0[0\s/.:-]*$/.test(text)) return { isEmpty: true };
    let hasShape = false;
    const short = withoutWeekday(text);
    for (const pattern of patterns) {
      // A format may have its weekday, or not.
      const parts = (pattern.exec(text) ?? (short === text ? null : pattern.exec(short)))?.groups;
      if (parts === undefined) continue;
      hasShape = true;
      const time = wallTime(parts, months);
      if (time === undefined) continue;
      const hasTime = (parts["hour"] ?? parts["hour12"]) !== undefined;
      return { value: hasTime && toInstant ? instant(time, parts["offset"], toInstant) : dayOf(time) };
    }
    return hasShape ? { problem: `there is no day ${quoted(text)}` } : notDate;
  };
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Undefined where no calendar or clock shows it. */
function wallTime(parts: Parts, months: ReadonlyMap<string, number>): WallTime | undefined {
  const year = parts["year"] === undefined ? fullYear(Number(parts["shortYear"])) : Number(parts["year"]);
  const name = parts["name"];
  const month = name === undefined ? Number(parts["month"]) : (months.get(name.toLowerCase()) ?? 0);
  const day = Number(parts["day"]);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0);
  if (day < 1 || day > days) return undefined;

  const hour = hourOf(parts);
  const minute = Number(parts["minute"] ?? 0);
  const second = Number(parts["second"] ?? 0);
  return hour === undefined || minute > 59 || second > 59
    ? undefined
    : { year, month, day, hour, minute, second };
}

/** POSIX: 69 to 99 are of the last century. */
const fullYear = (short: number): number => short + (short < 69 ? 2000 : 1900);

function hourOf({ hour, hour12, half }: Parts): number | undefined {
  if (hour12 === undefined) return Number(hour ?? 0) < 24 ? Number(hour ?? 0) : undefined;
  const shown = Number(hour12);
  if (shown < 1 || shown > 12) return undefined;
  return (shown % 12) + (half?.toLowerCase() === "p" ? 12 : 0);
}

const two = (count: number): string => (count < 10 ? `0${count}` : String(count));

const dayOf = ({ year, month, day }: WallTime): string =>
  `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;

/** The text's own offset says more than the site's zone. */
function instant(time: WallTime, offset: string | undefined, toInstant: (time: WallTime) => string): string {
  if (offset === undefined) return toInstant(time);
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const aheadMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return isoInstant(utcMs(time) - aheadMs);
}
