import { monthsOf } from "./months.ts";
import { quoted } from "./quoted.ts";
import type { Reading } from "./reading.ts";

/** Reads a date as one of its formats and gives it as `YYYY-MM-DD`. */
export type ReadDate = (text: string) => Reading<string>;

interface DateFormat {
  readonly format: string;
  readonly pattern: RegExp;
}

const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?$/i;
const TOKEN =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|dddd|ddd|HH|H|hh|h|mm|ss|A|\s+|[^A-Za-z\s]|[A-Za-z]+/g;

/**
 * Formats are made of YYYY, YY, MMMM and MMM (names, long or short), MM, M, DD, D, Do (1st), dddd and ddd (weekday), HH, H, hh, h, mm,
 * ss, A; words to be skipped stand in [brackets]. A time is checked for its shape and dropped. Throws on a bad format.
 */
export function dateReader(formats: readonly string[] = [], locale = "en"): ReadDate {
  const months = monthsOf(locale);
  const known: readonly DateFormat[] =
    formats.length === 0
      ? [{ format: "YYYY-MM-DD", pattern: ISO }]
      : formats.map((format) => ({ format, pattern: patternOf(format, months) }));
  const wanted = known.map(({ format }) => format).join(" or ");

  return (text) => {
    if (/^[0\s/.-]*0[0\s/.-]*$/.test(text)) return { isEmpty: true };
    let hasShape = false;
    for (const { pattern } of known) {
      const parts = pattern.exec(text)?.groups;
      if (parts === undefined) continue;
      hasShape = true;
      const date = calendarDate(parts, months);
      if (date !== undefined) return { value: date };
    }
    return {
      problem: hasShape ? `there is no day ${quoted(text)}` : `${quoted(text)} is not a date like ${wanted}`,
    };
  };
}

const escape = (literal: string): string => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

function patternOf(format: string, months: ReadonlyMap<string, number>): RegExp {
  const names = [...months.keys()].toSorted((a, b) => b.length - a.length).map((name) => escape(name));
  const tokens: Readonly<Record<string, string>> = {
    YYYY: "(?<year>\\d{4})",
    YY: "(?<shortYear>\\d\\d)",
    MMMM: `(?<name>${names.join("|")})`,
    MMM: `(?<name>${names.join("|")})`,
    MM: "(?<month>\\d\\d)",
    M: "(?<month>\\d{1,2})",
    DD: "(?<day>\\d\\d)",
    D: "(?<day>\\d{1,2})",
    Do: "(?<day>\\d{1,2})(?:st|nd|rd|th|\\.|º|er)?",
    dddd: "[\\p{L}.]+",
    ddd: "[\\p{L}.]+",
    HH: "\\d\\d",
    H: "\\d{1,2}",
    hh: "\\d\\d",
    h: "\\d{1,2}",
    mm: "\\d\\d",
    ss: "\\d\\d",
    A: "[ap]\\.?m\\.?",
  };
  const source = format.replace(TOKEN, (token, literal: string | undefined) => {
    if (literal !== undefined) return escape(literal);
    if (/^\s+$/.test(token)) return "\\s+";
    if (/^[A-Za-z]+$/.test(token) && tokens[token] === undefined) {
      throw new TypeError(
        `bad date format "${format}": "${token}" is no part of a date; words stand in [brackets]`,
      );
    }
    return tokens[token] ?? escape(token);
  });
  const count = (...parts: string[]): number =>
    format.match(TOKEN)?.filter((token) => parts.includes(token)).length ?? 0;
  if (count("YYYY", "YY") !== 1 || count("MMMM", "MMM", "MM", "M") !== 1 || count("DD", "D", "Do") !== 1) {
    throw new TypeError(`bad date format "${format}": it needs one year, one month and one day`);
  }
  return new RegExp(`^${source}$`, "iu");
}

function calendarDate(
  parts: Readonly<Record<string, string | undefined>>,
  months: ReadonlyMap<string, number>,
): string | undefined {
  const { year, shortYear, month, name, day } = parts;
  // POSIX: 69 to 99 are of the last century.
  const fullYear =
    shortYear === undefined ? Number(year) : Number(shortYear) + (Number(shortYear) < 69 ? 2000 : 1900);
  const monthNumber = name === undefined ? Number(month) : months.get(name.toLowerCase());
  if (monthNumber === undefined) return undefined;
  const date = `${String(fullYear).padStart(4, "0")}-${String(monthNumber).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  // Date.parse takes February 30 for March 1 or 2.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date ? undefined : date;
}
