/** How much of a date to return. */
export type DatePrecision = "day" | "month" | "year";

const TOKEN =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|dddd|ddd|HH|H|hh|h|mm|ss|S{1,9}|A|a|Z|z|\s+|[^A-Za-z\s]|[A-Za-z]+/g;

/** The pattern of each part of a format. */
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

/** What a format must have for each precision; further parts are checked but not returned. */
const NEEDS = {
  day: { parts: 3, words: "one year, one month and one day" },
  month: { parts: 2, words: "one year and one month" },
  year: { parts: 1, words: "one year" },
} as const;

/** The pattern of a date format, with a named group for each part. Throws on an invalid format. */
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
        `invalid date format "${format}": "${token}" is not a part of a date; put words in [brackets]`,
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
      `invalid date format "${format}": it needs ${words}${needed === 3 ? "; for dates without a day set `precision`" : ""}`,
    );
  const hours = count("HH", "H", "hh", "h");
  const fractions = tokens.filter((token) => /^S+$/.test(token)).length;
  if (
    Math.max(hours, count("mm"), count("ss"), fractions, count("A", "a"), count("Z"), count("dddd", "ddd")) >
    1
  )
    throw new TypeError(`invalid date format "${format}": a part occurs twice`);
  if (count("hh", "h") !== count("A", "a"))
    throw new TypeError(`invalid date format "${format}": use hh or h with A, and HH or H without`);
  return new RegExp(`^${source}$`, "iu");
}

/** A date without its weekday, and the weekday, from 1 for Monday. */
interface WithoutWeekday {
  readonly text: string;
  readonly weekday: number | undefined;
}

const byLocale = new Map<string, (text: string) => WithoutWeekday>();

/** Returns a function that removes a weekday before or after a date: `Tue, 5 March`, `5 March (Tuesday)`. */
export function weekdayRemover(locale: string): (text: string) => WithoutWeekday {
  const known = byLocale.get(locale);
  if (known !== undefined) return known;
  const names = calendarNames(locale, "weekday");
  const name = `(?<name>${anyOf(names)})`;
  // Swedish `den` and the like belong to the weekday: `tisdag den 5 mars`, `le mardi`, `dnia`.
  const before = new RegExp(`^${name}[,،、]?\\s+(?:den |the |le |il |el |dnia )?(?=[\\p{L}\\d])`, "iu");
  const after = new RegExp(`(?:[,،、]\\s*${name}|\\s+${name}|\\s*\\(${name}\\))$`, "iu");
  const remove = (text: string): WithoutWeekday => {
    const found = before.exec(text) ?? after.exec(text);
    if (found === null) return { text, weekday: undefined };
    const { 0: taken, index, groups } = found;
    return {
      text: index === 0 ? text.slice(taken.length) : text.slice(0, index),
      weekday: names.get((groups?.["name"] ?? "").toLowerCase()),
    };
  };
  byLocale.set(locale, remove);
  return remove;
}

/** A Monday, and the first of January. */
const FIRST = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

const CALENDAR = {
  // Lengths that a name may be cut to: Intl has `Sept` for Britain, sites also write `Sep`; `Thurs` is not in Intl.
  month: { days: Array.from({ length: 12 }, (_, at) => Date.UTC(2024, at, 1)), cuts: [3, 4] },
  weekday: { days: Array.from({ length: 7 }, (_, at) => FIRST + at * DAY_MS), cuts: [3, 4, 5] },
} as const;

export type Names = ReadonlyMap<string, number>;

const known = new Map<string, Names>();

/**
 * Names of a language in lower case, with their number from 1 (January, Monday): long and short, alone and inside a date, cut to their
 * first letters if that is unique, without accents, and with a dot.
 */
export function calendarNames(locale: string, part: "month" | "weekday"): Names {
  const key = `${part} ${locale}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const { days, cuts } = CALENDAR[part];
  const names = new Map<string, number>();
  const add = (name: string, number: number): void => {
    for (const one of [name, name.normalize("NFD").replace(/\p{M}/gu, "")])
      if (one !== "" && !names.has(one)) names.set(one, number).set(`${one}.`, number);
  };
  const words = days.map((day) => wordsOf(locale, part, day));
  for (const [at, some] of words.entries()) for (const name of some) add(name, at + 1);
  for (const [at, some] of words.entries())
    for (const name of some)
      for (const length of cuts) {
        const cut = name.slice(0, length);
        const isOnly = words.every(
          (others, other) => other === at || !others.some((one) => one.startsWith(cut)),
        );
        if (cut.length === length && isOnly) add(cut, at + 1);
      }
  known.set(key, names);
  return names;
}

/** In lower case and without a dot. Thailand and Iran have other calendars by default, so the Gregorian one is named. */
function wordsOf(locale: string, part: "month" | "weekday", day: number): readonly string[] {
  const words = new Set<string>();
  for (const width of ["long", "short"] as const) {
    for (const options of [{ [part]: width }, { [part]: width, day: "numeric" }] as const) {
      const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC", calendar: "gregory" });
      const word = format
        .formatToParts(day)
        .find(({ type }) => type === part)
        ?.value.toLowerCase();
      if (word === undefined || /\p{Nd}/u.test(word)) continue;
      words.add(word.replace(/\.$/, ""));
      // Brazil also says `terça`.
      words.add(word.replace(/-feira\.?$/, ""));
    }
  }
  return [...words];
}

/** A pattern source for any of these names, the longest first. */
const anyOf = (names: Names): string =>
  [...names.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("|");
