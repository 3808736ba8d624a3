import { calendarNames, datePattern, type DatePrecision, type Names, weekdayRemover } from "./date-format.ts";
import { plainText, quoted, type Reading } from "./reading.ts";
import {
  epochMs,
  isEpochFormat,
  isoInstant,
  utcMs,
  type WallTime,
  zonedDay,
  zonedInstant,
} from "./zoned-instant.ts";

/** Reads a date in one of its formats, and returns it as `YYYY-MM-DD` or as an instant. */
export type ReadDate = (text: string) => Reading<string>;

interface DateStyle {
  /** How much of the date to return. Without it a day, or an instant if there is a time and its zone is known. */
  readonly precision?: DatePrecision;
  /** Allow years that look like those of another calendar. */
  readonly min?: string;
  readonly max?: string;
}

type Parts = Readonly<Record<string, string | undefined>>;

const TIME =
  "(?:[T ](?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?(?: ?(?<offset>Z|[+-]\\d\\d(?::?\\d\\d)?))?)?";
const DAY = `-(?<day>\\d\\d)${TIME}`;
const ISO: Readonly<Record<DatePrecision, RegExp>> = {
  day: new RegExp(`^(?<year>\\d{4})-(?<month>\\d\\d)${DAY}$`, "i"),
  month: new RegExp(`^(?<year>\\d{4})-(?<month>\\d\\d)(?:${DAY})?$`, "i"),
  year: new RegExp(`^(?<year>\\d{4})(?:-(?<month>\\d\\d)(?:${DAY})?)?$`, "i"),
};
const WRITTEN = { day: "YYYY-MM-DD", month: "YYYY-MM", year: "YYYY" } as const;
/** A longer text is not a date, and is not searched for one. */
const LONGEST = 100;

/**
 * Formats consist of YYYY, YY, MMMM and MMM (names, long or short), MM, M, DD, D, Do (1st), dddd and ddd (weekday), HH, H, hh, h, mm,
 * ss, S (fraction of a second), A (am or pm), Z (offset), z (zone name, ignored); words to skip are in [brackets]. `epoch` and
 * `epoch-ms` are formats too, and always give instants. A time is checked; without `timeZone` it is
 * dropped, with it the date is an instant. Two-digit years are 1969 to 2068. Throws on an invalid format, locale or zone.
 */
export function dateReader(
  formats: readonly string[] = [],
  locale = "en",
  timeZone?: string,
  style: DateStyle = {},
): ReadDate {
  const { precision } = style;
  if (precision !== undefined && !Object.hasOwn(WRITTEN, precision))
    throw new TypeError('expected "day", "month" or "year" as `precision`');
  const months = calendarNames(locale, "month");
  const weekdays = calendarNames(locale, "weekday");
  const withoutWeekday = weekdayRemover(locale);
  const patterns =
    formats.length === 0
      ? [ISO[precision ?? "day"]]
      : formats.filter((one) => !isEpochFormat(one)).map((format) => datePattern(format, months, precision));
  const wanted = formats.length === 0 ? WRITTEN[precision ?? "day"] : formats.join(" or ");
  if (precision !== undefined && timeZone === undefined && formats.some(isEpochFormat))
    throw new TypeError(`the ${precision} of an epoch depends on the time zone: add \`timeZone\``);
  const toInstant = timeZone === undefined ? undefined : zonedInstant(timeZone);
  const toDay = timeZone === undefined ? undefined : zonedDay(timeZone);
  const cut = (day: string): string => day.slice(0, WRITTEN[precision ?? "day"].length);
  const calendarOf = foreignYears(locale, style);

  const valueOf = (time: WallTime, parts: Parts): string => {
    const hasTime = (parts["hour"] ?? parts["hour12"]) !== undefined;
    const { offset } = parts;
    if (!hasTime || toInstant === undefined || toDay === undefined) return cut(dayOf(time));
    const at = offset === undefined ? undefined : utcMs(time) - aheadMs(offset);
    if (precision !== undefined) return cut(at === undefined ? dayOf(time) : toDay(at));
    return at === undefined ? toInstant(time) : isoInstant(at);
  };

  return (text) => {
    const notDate = { problem: `${quoted(text)} is not a date like ${wanted}` };
    if (text.length > LONGEST) return notDate;
    const plain = plainText(text);
    if (/^[0\s/.:-]*0[0\s/.:-]*$/.test(plain)) return { isEmpty: true };
    const at = epochMs(plain, formats);
    if (at !== undefined) {
      if (precision === undefined) return { value: isoInstant(at) };
      return toDay === undefined ? notDate : { value: cut(toDay(at)) };
    }
    let problem: string | undefined;
    const short = withoutWeekday(plain);
    for (const pattern of patterns) {
      // A format may include the weekday or not.
      const whole = pattern.exec(plain)?.groups;
      const parts = whole ?? (short.text === plain ? undefined : pattern.exec(short.text)?.groups);
      if (parts === undefined) continue;
      const time = wallTime(parts, months);
      if (time === undefined) {
        problem ??= `${quoted(text)} is not a day of the calendar`;
        continue;
      }
      const calendar = calendarOf(time.year);
      if (calendar !== undefined) {
        problem = `the year of ${quoted(text)} looks like one of the ${calendar} calendar: if it is not, set \`min\` and \`max\``;
        continue;
      }
      const said = whole === undefined ? short.weekday : weekdays.get(parts["weekday"]?.toLowerCase() ?? "");
      if (said !== undefined && parts["day"] !== undefined && said !== weekdayOf(time)) {
        problem = `${quoted(text)} has the wrong weekday for ${dayOf(time)}`;
        continue;
      }
      return { value: valueOf(time, parts) };
    }
    return problem === undefined ? notDate : { problem };
  };
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Undefined if no calendar or clock shows it. A missing month or day counts as the first. */
function wallTime(parts: Parts, months: Names): WallTime | undefined {
  const year = parts["year"] === undefined ? fullYear(Number(parts["shortYear"])) : Number(parts["year"]);
  const name = parts["name"];
  const month = name === undefined ? Number(parts["month"] ?? 1) : (months.get(name.toLowerCase()) ?? 0);
  const day = Number(parts["day"] ?? 1);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0);
  if (day < 1 || day > days) return undefined;

  const hour = hourOf(parts);
  const minute = Number(parts["minute"] ?? 0);
  const second = Number(parts["second"] ?? 0);
  const millisecond = Number((parts["fraction"] ?? "").padEnd(3, "0").slice(0, 3));
  return hour === undefined || minute > 59 || second > 59
    ? undefined
    : { year, month, day, hour, minute, second, millisecond };
}

/** As in POSIX: 69 to 99 are in the last century. */
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

/** From 1 for Monday. */
const weekdayOf = (time: WallTime): number => new Date(utcMs(time)).getUTCDay() || 7;

/** The text's own offset takes precedence over the site's zone. */
function aheadMs(offset: string): number {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
}

/** Current years in other calendars: 1403 in Iran, 1445 in Saudi Arabia, 2567 in Thailand, 2081 in Nepal. */
const FOREIGN_YEARS = [
  { from: 1300, to: 1499, calendar: "Persian or Islamic" },
  { from: 2400, to: 2699, calendar: "Buddhist" },
  { from: 2050, to: 2149, calendar: "Nepali", language: "ne" },
] as const;

/** Returns a function that names the calendar a year seems to come from; years within the declared limits are accepted. */
function foreignYears(locale: string, { min, max }: DateStyle): (year: number) => string | undefined {
  const { language } = new Intl.Locale(locale);
  const rows = FOREIGN_YEARS.filter((row) => !("language" in row) || row.language === language);
  const first = min === undefined ? Infinity : Number(min.slice(0, 4));
  const last = max === undefined ? -Infinity : Number(max.slice(0, 4));
  return (year) => {
    const row = rows.find(({ from, to }) => year >= from && year <= to);
    if (row === undefined) return undefined;
    const isDeclared = row.from < 2000 ? year >= first : year <= last;
    return isDeclared ? undefined : row.calendar;
  };
}
