import { plainText } from "./ascii-digits.ts";
import { codeOfRegion, decimalsOf, homeDecimal, regionOf } from "./currencies.ts";
import { currencyMarks } from "./currency-marks.ts";
import type { CurrencyMark, MarkTable } from "./currency-marks.ts";
import { placeholders } from "./placeholders.ts";
import { quoted } from "./quoted.ts";
import { LONGEST, readNumber } from "./read-number.ts";
import type { NumberStyle } from "./read-number.ts";
import type { Reading } from "./reading.ts";

export interface MoneyStyle {
  readonly decimal?: "." | ",";
  /** Whose country tells `$` and `kr` apart. */
  readonly locale?: string;
  /** ISO 4217: an amount in any other currency is a problem. */
  readonly currency?: string;
}

export interface Money {
  readonly amount: number;
  /** The codes that its marks may stand for; undefined where it has no mark. */
  readonly codes: readonly string[] | undefined;
}

const isPlaceholder = placeholders("value");
/** `5,-` and `5.—`: no cents. Sweden has `5:-`, India `5/-`. */
const NO_CENTS = /^(?<whole>.*\d)\s?(?:(?<decimal>[.,])(?:-{1,2}|[–—])|:[-–—]|\/[-–—=])$/;
const FOOTNOTE = /\s?[*†‡]{1,3}$|(?<=[.,]\d\d|\p{Sc}|\p{L})\s?[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,2}$/u;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** `$19⁹⁹`; behind decimals the raised digits are a note. */
const RAISED_CENTS = new RegExp(`^(?<whole>\\d+(?:[ ,']\\d{3})*)(?<cents>[${RAISED}]{2})$`);
/** A separator, or a minus: nobody can tell. */
const LOOSE_DASH = /^[-–—]\s|\s[-–—]$/;
/** As most American sites write it: worth a way of its own, since it is ten times as fast. */
const DOLLARS = /^\$?(?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d\d)?$/;

/** Reads an amount without its currency. */
export function readMoney(text: string, style: MoneyStyle = {}): Reading<number> {
  if (style.decimal !== "," && style.currency === undefined && text.length < 20 && DOLLARS.test(text))
    return { value: Number(text.replace(/[$,]/g, "")) };
  const reading = parseMoney(text, style);
  return "value" in reading ? { value: reading.value.amount } : reading;
}

/** Reads an amount with the currencies that it may be in. */
export function parseMoney(text: string, style: MoneyStyle): Reading<Money> {
  if (text.length > LONGEST) return { problem: `${quoted(text)} is not an amount` };
  const table = currencyMarks(style.locale, style.decimal === ",");
  const plain = plainText(text).replace(FOOTNOTE, "");
  const compound = compoundOf(plain, table);
  if (compound !== undefined)
    return inCurrency(text, compound.marks, style, () => readNumber(compound.amount, { decimal: "." }));
  const { rest, marks } = withoutMarks(plain, table);
  if (isPlaceholder(rest)) return { isEmpty: true };
  const minors = marks.filter(({ isMinor }) => isMinor).length;
  if (LOOSE_DASH.test(plain) || LOOSE_DASH.test(rest))
    return { problem: `the dash in ${quoted(text)} may be a minus or a separator` };
  if (minors > 0 && marks.length > 1) return { problem: `${quoted(text)} has cents and a currency` };
  return inCurrency(text, marks, style, (number, codes) => {
    if (isOther(plain, rest, codes)) return { problem: `${quoted(text)} is not an amount` };
    if (minors === 0) return readAmount(rest, number, codes);
    const cents = readNumber(rest, style.decimal === undefined ? {} : { decimal: style.decimal });
    return "value" in cents ? { value: Number((cents.value / 100).toPrecision(15)) } : cents;
  });
}

/** Looks like an amount, and is feet (Hungary writes a comma), a quarter of a year, or a Japanese price with a dash to close it. */
const isOther = (text: string, rest: string, codes: readonly string[]): boolean =>
  /\.\d{1,2} ?Ft\b/.test(text) || /^Q[1-4]$/.test(text) || (codes.includes("JPY") && /\d[-–—]$/.test(rest));

function readAmount(rest: string, style: NumberStyle, codes: readonly string[]): Reading<number> {
  const { whole, decimal } = NO_CENTS.exec(rest)?.groups ?? {};
  if (whole !== undefined)
    return readNumber(whole, decimal === undefined ? style : { decimal: decimal === "," ? "," : "." });
  // `Fr. -.50` has no francs: the dash is no minus.
  if (String(codes) === "CHF" && /^[-–—]\.\d\d$/.test(rest)) return readNumber(`0${rest.slice(1)}`, style);
  const raised = RAISED_CENTS.exec(rest)?.groups;
  if (raised === undefined) return readNumber(rest, style);
  const cents = (raised["cents"] ?? "").replace(/./g, (digit) => String(RAISED.indexOf(digit)));
  return readNumber(`${raised["whole"]}.${cents}`, { decimal: "." });
}

/** Reads the number as amounts in these currencies are written, unless the marks contradict each other. */
function inCurrency(
  text: string,
  marks: readonly CurrencyMark[],
  { decimal, locale, currency }: MoneyStyle,
  read: (style: NumberStyle, codes: readonly string[]) => Reading<number>,
): Reading<Money> {
  const all = marks.map(({ codes }) => codes);
  let codes =
    all.length === 0 ? undefined : all.reduce((some, more) => some.filter((one) => more.includes(one)));
  if (codes?.length === 0 && all.every((some) => some.length > 0))
    return { problem: `${quoted(text)} has two currencies` };
  if (currency !== undefined && codes !== undefined && !codes.includes(currency))
    return { problem: `${quoted(text)} is not in ${currency}` };
  const region = locale === undefined ? undefined : regionOf(locale);
  const own = currency ?? (codes && region && codeOfRegion(codes, region));
  if (own !== undefined && codes !== undefined) codes = [own];
  const expected = codes ?? (currency === undefined ? [] : [currency]);
  const number = decimal === undefined ? styleOf(expected) : { ...styleOf(expected), decimal };
  const reading = read(number, expected);
  return "value" in reading ? { value: { amount: reading.value, codes } } : reading;
}

const styles = new WeakMap<readonly string[], NumberStyle>();

/** How amounts are written in these currencies. */
function styleOf(codes: readonly string[]): NumberStyle {
  const known = styles.get(codes);
  if (known !== undefined) return known;
  const [places = 2, ...others] = new Set(codes.map(decimalsOf));
  const isHome = codes.length > 0 && codes.every((code) => homeDecimal(code) === ",");
  const style: NumberStyle = { places: others.length === 0 ? places : 2, ...(isHome && { home: "," }) };
  styles.set(codes, style);
  return style;
}

/** `19€90` in France; with a word for the cents in any currency: `12 zł 50 gr`. */
function compoundOf(
  text: string,
  table: MarkTable,
): { readonly amount: string; readonly marks: readonly CurrencyMark[] } | undefined {
  const groups = COMPOUND.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { whole = "", mark = "", cents = "", minor = "" } = groups;
  const currency = table.startingAt(mark.trim(), 0, "behind");
  const small = minor === "" ? undefined : table.cents(minor.trim());
  if (currency?.to !== mark.trim().length || currency.isMinor) return undefined;
  if (small === undefined && !(minor === "" && /^€ ?$/.test(mark))) return undefined;
  return { amount: `${whole}.${cents}`, marks: small === undefined ? [currency] : [currency, small] };
}

const COMPOUND = /^(?<whole>\d+)(?<mark>\D{1,12}?)(?<cents>\d\d)(?<minor>\D{0,12})$/;

/** Two marks on each side, inside or outside of the sign: `-$5`, `USD $5`, `$(5)`, `5 $ US`, `US$ 5 USD`. */
function withoutMarks(
  text: string,
  table: MarkTable,
): { readonly rest: string; readonly marks: readonly CurrencyMark[] } {
  if (/^[\d.,]*$/.test(text)) return { rest: text, marks: [] };
  const marks: CurrencyMark[] = [];
  let rest = text;
  for (let count = 0; count < 2; count++) {
    const sign = /^[(+−–-]?\s*/.exec(rest)?.[0] ?? "";
    const mark = table.startingAt(rest, sign.length, "before");
    if (mark === undefined) break;
    marks.push(mark);
    rest = `${sign}${rest.slice(mark.to).trimStart()}`.trim();
  }
  for (let count = 0; count < 2; count++) {
    const sign = /\s*[)−–-]?$/.exec(rest)?.[0] ?? "";
    const mark = table.endingAt(rest, rest.length - sign.length, "behind");
    if (mark === undefined) break;
    marks.push(mark);
    rest = `${rest.slice(0, mark.from).trimEnd()}${sign}`.trim();
  }
  return { rest, marks };
}

/** `USD`, `€`: a cell that has only the currency. Undefined where there is more, or less. */
export function marksAlone(text: string, style: MoneyStyle): Reading<Money> | undefined {
  if (text.length > LONGEST) return undefined;
  const { rest, marks } = withoutMarks(plainText(text), currencyMarks(style.locale, style.decimal === ","));
  return rest === "" ? inCurrency(text, marks, style, () => ({ value: 0 })) : undefined;
}
