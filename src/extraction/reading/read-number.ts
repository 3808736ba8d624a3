import { placeholders } from "./placeholders.ts";
import { plainText, quoted, type Reading } from "./reading.ts";

export interface NumberStyle {
  /** The site's decimal mark. Without it the text must be clear by itself; `1,234` is then read as in English. */
  readonly decimal?: "." | ",";
  /** It is an amount in a currency with this many decimals. With two, `1.234` alone is ambiguous. */
  readonly places?: number;
  /** The decimal mark in the currency's country: used only if the text is ambiguous. */
  readonly home?: "." | ",";
}

/** Reads a number as people write it: `1,234.56`, `1.234,56`, `1 234`, `1'234`, `12,34,567`, `(12)`, `12-`, `−12`, `1.2 million`. */
export function readNumber(text: string, style: NumberStyle = {}): Reading<number> {
  if (text.length > LONGEST) return { problem: `${quoted(text)} is not a number` };
  const scale = scaleOf(text);
  if (scale === undefined) return readPlain(text, style);
  // In languages with a decimal comma, a billion is usually a million millions.
  if (style.decimal === "," && /\b(?:b|tr)illion/i.test(text))
    return { problem: `${quoted(text)} is ambiguous: a billion differs between languages` };
  // `1.234 million` has decimals, regardless of the site's amounts.
  const { places: _, ...plain } = style;
  const reading = readPlain(scale.text, plain);
  return "value" in reading
    ? { value: Number((reading.value * scale.factor).toPrecision(15)) }
    : { problem: `${quoted(text)} is not a number` };
}

function readPlain(text: string, style: NumberStyle): Reading<number> {
  const plain = inAscii(text);
  const { digits, isNegative } = withoutSign(plain.text);
  if (digits === undefined) return { problem: `more than one sign in ${quoted(text)}` };
  if (!/\d$/.test(digits) || !/^[\d.,' ]+$/.test(digits))
    return { problem: `${quoted(text)} is not a number` };
  const parts = splitAtDecimal(digits, { ...style, ...plain.style });
  if (parts === "ambiguous")
    return { problem: `${quoted(text)} is ambiguous: set \`decimal\` or \`locale\`` };
  const whole = parts === undefined ? undefined : withoutGroups(parts.whole);
  if (parts === undefined || whole === undefined)
    return { problem: `the digit groups in ${quoted(text)} do not form a number` };

  const size = Number(`${whole}.${parts.fraction}`);
  // Rounding would change the value: such digits are an identifier and should be read as text.
  if (size > Number.MAX_SAFE_INTEGER)
    return { problem: `${quoted(text)} has more digits than a number can hold` };
  return { value: isNegative && size !== 0 ? -size : size };
}

/** Returns a function that removes one of these units from the end of a number. */
export function unitRemover(units: readonly string[]): (text: string) => string {
  const escaped = units.map((unit) => unit.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s*"));
  const pattern = new RegExp(`\\s*(?:${escaped.join("|")})\\.?$`, "i");
  return (text) => (text.length > LONGEST ? text : text.replace(pattern, ""));
}

/** A selector that matches half the page must not make it search all of that for digits. */
export const LONGEST = 100;

function inAscii(text: string): { text: string; style: NumberStyle } {
  const plain = plainText(text);
  const ascii = plain
    .replaceAll("٬", ",")
    .replaceAll("٫", ".")
    .replace(/[−–﹣]/g, "-")
    .replace(/[’ʼ]/g, "'");
  return { text: ascii, style: /[٫٬]/.test(plain) ? { decimal: "." } : {} };
}

function withoutSign(text: string): { digits: string | undefined; isNegative: boolean } {
  const match = /^(?<open>\()? ?(?<before>[-+])? ?(?<digits>[^()+-]*?) ?(?<after>-)? ?(?<close>\))?$/.exec(
    text,
  );
  const { open, before, digits, after, close } = match?.groups ?? {};
  const signs = [open, before, after].filter((sign) => sign !== undefined).length;
  if (signs > 1 || (open === undefined) !== (close === undefined))
    return { digits: undefined, isNegative: false };
  // Without a match the caller reports that it is not a number.
  return { digits: match === null ? text : digits, isNegative: signs === 1 && before !== "+" };
}

type Split = { readonly whole: string; readonly fraction: string };

function splitAtDecimal(digits: string, style: NumberStyle): Split | "ambiguous" | undefined {
  const marks = digits.replace(/\d/g, "");
  const last = marks.at(-1);
  const all = { whole: digits, fraction: "0" };
  if (last === undefined) return all;
  const at = digits.lastIndexOf(last);
  const split = { whole: digits.slice(0, at), fraction: digits.slice(at + 1) };
  const isOnly = marks.indexOf(last) === marks.length - 1;

  if (style.decimal !== undefined) {
    if (last === style.decimal) return isOnly ? split : undefined;
    return marks.includes(style.decimal) ? undefined : all;
  }
  if (last === " " || last === "'" || !isOnly) return all;
  const { places } = style;
  // With grouped thousands, more decimals than the currency has are a typo.
  if (marks.length > 1)
    return places !== undefined && split.fraction.length > Math.max(2, places) ? undefined : split;
  // No currency has that many: digits are missing or too many.
  if (places !== undefined && last === "," && split.fraction.length > 3) return undefined;
  const looksGrouped = /^[1-9]\d{0,2}$/.test(split.whole) && split.fraction.length === 3;
  if (!looksGrouped) return split;
  if (places === undefined) return last === "," ? all : split;
  if (places === 0) return all;
  if (places > 2) return last === "." && style.home !== "," ? split : "ambiguous";
  return last === "," || style.home === "," ? all : "ambiguous";
}

const GROUPED = /^[1-9]\d{0,2}(?:(?<mark>[.,' ])\d{3})(?:\k<mark>\d{3})*$/;
const GROUPED_IN_INDIA = /^[1-9]\d?(?:,\d\d)+,\d{3}$/;

function withoutGroups(whole: string): string | undefined {
  if (/^\d*$/.test(whole)) return whole === "" ? "0" : whole;
  return GROUPED.test(whole) || GROUPED_IN_INDIA.test(whole) ? whole.replace(/\D/g, "") : undefined;
}

/** Words that mean the same in every language; "billion" is read as in English. Letters (`5M`, `5k`) are ambiguous. */
const SCALES: readonly (readonly [words: string, factor: number])[] = [
  ["thousand", 1e3],
  ["million|millions|mio\\.?|millionen|millones|milhões|milioni|miljoen", 1e6],
  ["billion|billions|mrd\\.?|milliarde|milliarden|milliard|milliards|miljard|miliardi", 1e9],
  ["trillion|trillions", 1e12],
];
/** Used in Japan, China and Korea. */
const MYRIADS: readonly (readonly [signs: string, factor: number])[] = [
  ["万萬만", 1e4],
  ["億亿억", 1e8],
];

const SCALE = new RegExp(
  `^(?<number>.*\\d)\\s+(?:${SCALES.map(([words], at) => `(?<s${at}>${words})`).join("|")})(?<rest>\\W.*|)$`,
  "iu",
);

const MYRIAD = new RegExp(
  `^(?<number>.*\\d)\\s?(?<sign>[${MYRIADS.map(([signs]) => signs).join("")}])$`,
  "u",
);

/** `1.2 million` as `1.2` and a million; undefined without such a word after the number. */
function scaleOf(text: string): { readonly text: string; readonly factor: number } | undefined {
  // Most numbers have neither.
  if (!/\p{L}/u.test(text)) return undefined;
  const myriad = MYRIAD.exec(text)?.groups;
  if (myriad !== undefined) {
    const factor = MYRIADS.find(([signs]) => signs.includes(myriad["sign"] ?? ""))?.[1];
    return { text: myriad["number"] ?? "", factor: factor ?? 1 };
  }
  const groups = SCALE.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const at = SCALES.findIndex((_, index) => groups[`s${index}`] !== undefined);
  return { text: `${groups["number"]}${groups["rest"]}`, factor: SCALES[at]?.[1] ?? 1 };
}

/**
 * Returns a function that removes a mark (currency, percent) before or after a number, inside or outside its sign:
 * `-$5`, `$-5`, `($5)`, `$(5)`, `5 $`, `US$ 5 USD`. Null if there is none.
 */
function markRemover(mark: string): (text: string) => string | null {
  const before = new RegExp(`^(?<sign>[(+−–-]?\\s*)(?:${mark})\\s*(?<rest>.*)$`, "iu");
  const after = new RegExp(`^(?<rest>.*?)\\s*(?:${mark})(?<sign>\\s*[)−–-]?)$`, "iu");
  return (text) => {
    if (text.length > LONGEST) return null;
    const front = before.exec(text)?.groups;
    const half = front === undefined ? text : `${front["sign"]}${front["rest"]}`;
    const back = after.exec(half)?.groups;
    if (front === undefined && back === undefined) return null;
    return (back === undefined ? half : `${back["rest"]}${back["sign"]}`).trim();
  };
}

/** The decimal mark of a locale such as `de` or `fr-CH`. Throws `RangeError` for an unknown one. */
export function decimalOf(locale: string): "." | "," {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  const mark = parts.find(({ type }) => type === "decimal")?.value;
  return mark === "," ? "," : ".";
}

const withoutPercent = markRemover(
  // Prozent, procent, procenten, procentów; pour cent, por ciento, per cento, por cento.
  "[%٪％]|pct\\.?|p\\.\\s?c\\.|v\\.\\s?h\\.|proc\\.|(?:per|pro|por|pour)[\\s-]?[csz]i?ent(?:o|a|en|ów|ow|i)?",
);
const isPlaceholder = placeholders("value");

/** Reads `1.25 %` as 1.25. The sign may be missing: it is often in the column header. */
export function readPercent(text: string, style: NumberStyle = {}): Reading<number> {
  const share = withoutPercent(text) ?? text;
  return isPlaceholder(share) ? { isEmpty: true } : readNumber(share, style);
}
