import { anyOf } from "./calendar-names.ts";
import type { Names } from "./calendar-names.ts";

/** How much of a date is wanted. */
export type DatePrecision = "day" | "month" | "year";

const TOKEN =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|dddd|ddd|HH|H|hh|h|mm|ss|S{1,9}|A|a|Z|z|\s+|[^A-Za-z\s]|[A-Za-z]+/g;

/** What each part of a format stands for in a text. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  YY: "(?<shortYear>\\d\\d)",
  MM: "(?<month>\\d\\d)",
  M: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d\\d)",
  D: "(?<day>\\d{1,2})",
  Do: "(?<day>\\d{1,2})(?:st|nd|rd|th|\\.|º|er)?",
  dddd: "(?<weekday>[\\p{L}\\p{M}]+(?:-\\p{L}+)?\\.?)",
  ddd: "(?<weekday>[\\p{L}\\p{M}]+(?:-\\p{L}+)?\\.?)",
  HH: "(?<hour>\\d\\d)",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour12>\\d\\d)",
  h: "(?<hour12>\\d{1,2})",
  mm: "(?<minute>\\d\\d)",
  ss: "(?<second>\\d\\d)",
  A: "(?<half>[ap])\\.?\\s?m\\.?",
  a: "(?<half>[ap])\\.?\\s?m\\.?",
  Z: "(?<offset>Z|[+-]\\d\\d:?\\d\\d)",
  z: "\\p{L}{2,5}",
};

const escape = (literal: string): string => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** What a format must have for each precision; what it has beside is checked, and left out of the value. */
const NEEDS = {
  day: { parts: 3, words: "one year, one month and one day" },
  month: { parts: 2, words: "one year and one month" },
  year: { parts: 1, words: "one year" },
} as const;

/** The pattern of a date format, with a named group for each of its parts. Throws on a bad format. */
export function datePattern(format: string, months: Names, precision: DatePrecision = "day"): RegExp {
  const name = `(?<name>${anyOf(months)})`;
  const parts = { ...PARTS, MMMM: name, MMM: name };
  const source = format.replace(TOKEN, (token, literal: string | undefined) => {
    if (literal !== undefined) return escape(literal);
    if (/^\s+$/.test(token)) return "\\s+";
    if (/^S+$/.test(token)) return "(?<fraction>\\d{1,9})";
    const part = Object.hasOwn(parts, token) ? parts[token as keyof typeof parts] : undefined;
    if (part === undefined && /^[A-Za-z]+$/.test(token)) {
      throw new TypeError(
        `bad date format "${format}": "${token}" is no part of a date; words stand in [brackets]`,
      );
    }
    return part ?? escape(token);
  });
  const tokens = format.match(TOKEN) ?? [];
  const count = (...wanted: string[]): number => tokens.filter((token) => wanted.includes(token)).length;
  const ofDay = [count("YYYY", "YY"), count("MMMM", "MMM", "MM", "M"), count("DD", "D", "Do")];
  const { parts: needed, words } = NEEDS[precision];
  if (ofDay.some((found, at) => found > 1 || (found === 0 && at < needed)))
    throw new TypeError(
      `bad date format "${format}": it needs ${words}${needed === 3 ? "; for dates without a day there is `precision`" : ""}`,
    );
  const hours = count("HH", "H", "hh", "h");
  const fractions = tokens.filter((token) => /^S+$/.test(token)).length;
  if (
    Math.max(hours, count("mm"), count("ss"), fractions, count("A", "a"), count("Z"), count("dddd", "ddd")) >
    1
  )
    throw new TypeError(`bad date format "${format}": a part of it stands there twice`);
  if (count("hh", "h") !== count("A", "a"))
    throw new TypeError(`bad date format "${format}": hh and h go with A, HH and H without`);
  return new RegExp(`^${source}$`, "iu");
}
