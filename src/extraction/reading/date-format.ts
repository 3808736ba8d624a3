const TOKEN =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|Do|DD|D|dddd|ddd|HH|H|hh|h|mm|ss|A|a|Z|z|\s+|[^A-Za-z\s]|[A-Za-z]+/g;

/** What each part of a format stands for in a text. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: "(?<year>\\d{4})",
  YY: "(?<shortYear>\\d\\d)",
  MM: "(?<month>\\d\\d)",
  M: "(?<month>\\d{1,2})",
  DD: "(?<day>\\d\\d)",
  D: "(?<day>\\d{1,2})",
  Do: "(?<day>\\d{1,2})(?:st|nd|rd|th|\\.|º|er)?",
  dddd: "\\p{L}+(?:-\\p{L}+)?\\.?",
  ddd: "\\p{L}+(?:-\\p{L}+)?\\.?",
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

/** The pattern of a date format, with a named group for each of its parts. Throws on a bad format. */
export function datePattern(format: string, months: ReadonlyMap<string, number>): RegExp {
  const names = [...months.keys()].toSorted((a, b) => b.length - a.length).map((name) => escape(name));
  const name = `(?<name>${names.join("|")})`;
  const parts = { ...PARTS, MMMM: name, MMM: name };
  const source = format.replace(TOKEN, (token, literal: string | undefined) => {
    if (literal !== undefined) return escape(literal);
    if (/^\s+$/.test(token)) return "\\s+";
    const part = Object.hasOwn(parts, token) ? parts[token as keyof typeof parts] : undefined;
    if (part === undefined && /^[A-Za-z]+$/.test(token)) {
      throw new TypeError(
        `bad date format "${format}": "${token}" is no part of a date; words stand in [brackets]`,
      );
    }
    return part ?? escape(token);
  });
  const count = (...tokens: string[]): number =>
    format.match(TOKEN)?.filter((token) => tokens.includes(token)).length ?? 0;
  if (count("YYYY", "YY") !== 1 || count("MMMM", "MMM", "MM", "M") !== 1 || count("DD", "D", "Do") !== 1)
    throw new TypeError(`bad date format "${format}": it needs one year, one month and one day`);
  const hours = count("HH", "H", "hh", "h");
  if (hours > 1 || count("mm") > 1 || count("ss") > 1 || count("A", "a") > 1 || count("Z") > 1)
    throw new TypeError(`bad date format "${format}": a part of the time stands there twice`);
  if (count("hh", "h") !== count("A", "a"))
    throw new TypeError(`bad date format "${format}": hh and h go with A, HH and H without`);
  return new RegExp(`^${source}$`, "iu");
}
