import {
  codeOfRegion,
  type CurrencyMark,
  currencyMarks,
  decimalsOf,
  homeDecimal,
  type MarkTable,
  regionOf,
} from "./currency-marks.ts";
import { placeholders } from "./placeholders.ts";
import { LONGEST, type NumberStyle, readNumber } from "./read-number.ts";
import { plainText, quoted, type Reading } from "./reading.ts";

export interface MoneyStyle {
  readonly decimal?: "." | ",";
  /** Its country decides what `$` and `kr` mean. */
  readonly locale?: string;
  /** ISO 4217: an amount in another currency is a problem. */
  readonly currency?: string;
}

interface Money {
  readonly amount: number;
  /** The codes that its marks may stand for; undefined without a mark. */
  readonly codes: readonly string[] | undefined;
}

const isPlaceholder = placeholders("value");
/** `5,-` and `5.—`: no cents. Sweden writes `5:-`, India `5/-`. */
const NO_CENTS = /^(?<whole>.*\d)\s?(?:(?<decimal>[.,])(?:-{1,2}|[–—])|:[-–—]|\/[-–—=])$/;
const FOOTNOTE = /\s?[*†‡]{1,3}$|(?<=[.,]\d\d|\p{Sc}|\p{L})\s?[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,2}$/u;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** `$19⁹⁹`; after decimals the raised digits are a footnote. */
const RAISED_CENTS = new RegExp(`^(?<whole>\\d+(?:[ ,']\\d{3})*)(?<cents>[${RAISED}]{2})$`);
/** May be a separator or a minus. */
const LOOSE_DASH = /^[-–—]\s|\s[-–—]$/;
/** The usual American notation has a fast path, ten times as fast. */
const DOLLARS = /^\$?(?:0|[1-9]\d{0,2}(?:,\d{3})*)(?:\.\d\d)?$/;

/** Reads an amount without its currency. */
export function readMoney(text: string, style: MoneyStyle = {}): Reading<number> {
  if (style.decimal !== "," && style.currency === undefined && text.length < 20 && DOLLARS.test(text))
    return { value: Number(text.replace(/[$,]/g, "")) };
  const reading = parseMoney(text, style);
  return "value" in reading ? { value: reading.value.amount } : reading;
}

/** Reads an amount with the currencies it may be in. */
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

/** Looks like an amount, but is feet (Hungary writes a comma), a quarter of a year, or a Japanese price with a final dash. */
const isOther = (text: string, rest: string, codes: readonly string[]): boolean =>
  /\.\d{1,2} ?Ft\b/.test(text) || /^Q[1-4]$/.test(text) || (codes.includes("JPY") && /\d[-–—]$/.test(rest));

function readAmount(rest: string, style: NumberStyle, codes: readonly string[]): Reading<number> {
  const { whole, decimal } = NO_CENTS.exec(rest)?.groups ?? {};
  if (whole !== undefined)
    return readNumber(whole, decimal === undefined ? style : { decimal: decimal === "," ? "," : "." });
  // `Fr. -.50` has no francs: the dash is not a minus.
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

/** `19€90` in France; with a word for the cents, in any currency: `12 zł 50 gr`. */
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

/** Two marks on each side, inside or outside the sign: `-$5`, `USD $5`, `$(5)`, `5 $ US`, `US$ 5 USD`. */
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

/** `USD`, `€`: a cell with only the currency. Undefined for anything else. */
function marksAlone(text: string, style: MoneyStyle): Reading<Money> | undefined {
  if (text.length > LONGEST) return undefined;
  const { rest, marks } = withoutMarks(plainText(text), currencyMarks(style.locale, style.decimal === ","));
  return rest === "" ? inCurrency(text, marks, style, () => ({ value: 0 })) : undefined;
}

/** Reads the currency of an amount, or a currency alone, as an ISO 4217 code. */
export function readCurrency(text: string, style: MoneyStyle = {}, isInText = false): Reading<string> {
  const alone = marksAlone(text, style);
  const reading = alone ?? (isInText ? amountInText(text, style) : parseMoney(text, style));
  if (!("value" in reading)) return reading;
  const { codes } = reading.value;
  if (style.currency !== undefined) return { value: style.currency };
  if (codes === undefined) return { problem: `${quoted(text)} has no currency: set \`currency\`` };
  const [code, ...others] = codes;
  if (code === undefined) return { problem: `the currency of ${quoted(text)} has no ISO 4217 code` };
  if (others.length === 0) return { value: code };
  const some = codes.slice(0, 4).join(", ");
  return {
    problem: `${quoted(text)} may be ${some}: set \`currency\`, or a \`locale\` with its country`,
  };
}

/** Longer texts are pages, not sentences: the selector should be narrower. */
const LONGEST_SENTENCE = 1000;

const NUMBER = /\d{1,3}(?:[ .,']\d{3})+(?!\d)(?:[.,]\d{1,3}(?!\d))?|\d+(?:[.,:/]\d+)*|(?<!\d)\.\d+/g;
/** Belongs to an amount after its number: marks for "no cents", and words such as million. */
const TAIL =
  /^(?:\s?(?:[.,]-{1,2}|[.,][–—]|:[-–—]|\/[-–—=])(?!\d)|\s(?:thousand|mi(?:ll)?io(?:n|nen|ni)s?|mio\.|mrd\.|billion)\b)/iu;
/** `$45. 50` is one number, and an unreadable one. */
const CUT_BEFORE = /\d\s?[.,]+\s?$/;
const CUT_BEHIND = /^\s?[.,]+\s?\d/;
/** `4 99 €`: the number may begin earlier. */
const DIGIT_BEFORE = /\d\s$/;
/** Words and letters that multiply an amount, but have no single meaning: `$5 bn`, `₹2 crore`, `R$ 5 mil`. */
const SCALE_BEHIND =
  /^\s(?:hundreds?|thousands?|grand|k|m|b|t|bn|tn|mn|mm|mil|mill|mila|mille|mln|mld|mlrd|mrd|mio|tsd|tys|tis|tril\p{L}*|trn|[bm]il[jl]\p{L}*|milh\p{L}*|mili?ar\p{L}*|bili?\p{L}*|lakhs?|lacs?|l|cr|crores?|juta|jt|ribu|rb|tỷ|triệu|nghìn|ngàn|bin|milyon|milyar|тыс|тысяч\p{L}*|млн|млрд|миллион\p{L}*|миллиард\p{L}*|tūkst|ezer|millió|千|万|萬|百|億|亿|억|만|천)(?![\p{L}\d])/iu;
const RANGE_BEFORE = /\d\s?(?:[-–—~]|to|bis|à|tot|do|до)\s?$/iu;
const RANGE_BEHIND = /^\s?(?:[-–—~]|to|bis|à|tot|do|до)\s?\d/iu;

/**
 * Reads the only amount in a text with words around it. Only a number beside a currency counts; two different amounts, and a range,
 * are a problem.
 */
export function amountInText(text: string, style: MoneyStyle): Reading<Money> {
  if (text.length > LONGEST_SENTENCE)
    return { problem: `${quoted(text)} is too long to search for an amount` };
  // A text that is an amount needs no search and no currency.
  const whole = parseMoney(text, style);
  if ("value" in whole) return whole;
  const plain = plainText(text);
  const table = currencyMarks(style.locale, style.decimal === ",");
  let found: Money | undefined;
  for (const { 0: number, index } of plain.matchAll(NUMBER)) {
    const end = index + number.length;
    const tail = TAIL.exec(plain.slice(end))?.[0] ?? "";
    const front = plain.slice(startOfMarks(table, plain, index), index);
    const back = plain.slice(end + tail.length, endOfMarks(table, plain, end + tail.length));
    if (front === "" && back === "") continue;
    // `Model R5` is not a price, unless the site's country uses the rand.
    const isLetter = back === "" && /^[A-Z]\s?$/.test(front) && !/[.,]\d\d$/.test(number);
    if (isLetter && style.locale === undefined && style.currency === undefined) continue;
    const before = plain.slice(0, index - front.length);
    const behind = plain.slice(end + tail.length + back.length);
    if (
      CUT_BEFORE.test(before) ||
      CUT_BEHIND.test(behind) ||
      RANGE_BEFORE.test(before) ||
      RANGE_BEHIND.test(behind) ||
      SCALE_BEHIND.test(behind) ||
      (front === "" && DIGIT_BEFORE.test(before)) ||
      /^[\p{L}\d]|^\s\d/u.test(behind)
    )
      return { problem: `${quoted(text)} has no single amount` };
    const sign = /(?<![\p{L}\d])[-−(]$/u.exec(before)?.[0] ?? "";
    // Among words, brackets may be an accountant's minus or just brackets.
    if (sign === "(" && behind.startsWith(")")) return { problem: `${quoted(text)} may be negative` };
    const amount = `${front}${number}${tail}${back}`;
    const reading = parseMoney(`${sign === "(" ? "" : sign}${amount}`, style);
    if ("isEmpty" in reading) continue;
    if ("problem" in reading) return reading;
    if (found !== undefined && !isSame(found, reading.value))
      return { problem: `${quoted(text)} has more than one amount` };
    found ??= reading.value;
  }
  return found === undefined
    ? { problem: `${quoted(text)} has no amount with a currency` }
    : { value: found };
}

/** Up to two marks, each followed by an optional blank or minus: `USD $5`, `$-5`. */
function startOfMarks(table: MarkTable, text: string, at: number): number {
  let start = at;
  for (let count = 0; count < 2; count++) {
    const gap = (count === 0 ? /\s?[-−]?$/ : /\s?$/).exec(text.slice(0, start))?.[0].length ?? 0;
    const mark = table.endingAt(text, start - gap, "before");
    if (mark === undefined) break;
    start = mark.from;
  }
  return start;
}

function endOfMarks(table: MarkTable, text: string, at: number): number {
  let end = at;
  for (let count = 0; count < 2; count++) {
    const gap = text.charAt(end) === " " ? 1 : 0;
    const mark = table.startingAt(text, end + gap, "behind");
    if (mark === undefined) break;
    // In `Zip 12345 $5` the sign belongs to the number that it touches.
    if (gap === 1 && /\d/.test(text.charAt(mark.to))) break;
    end = mark.to;
  }
  return end;
}

const isSame = (one: Money, other: Money): boolean =>
  one.amount === other.amount && String(one.codes) === String(other.codes);
