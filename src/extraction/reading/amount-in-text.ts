import { plainText } from "./ascii-digits.ts";
import { currencyMarks } from "./currency-marks.ts";
import type { MarkTable } from "./currency-marks.ts";
import { quoted } from "./quoted.ts";
import { parseMoney } from "./read-money.ts";
import type { Money, MoneyStyle } from "./read-money.ts";
import type { Reading } from "./reading.ts";

/** Longer texts are pages rather than sentences: the selector should come closer. */
const LONGEST = 1000;

const NUMBER = /\d{1,3}(?:[ .,']\d{3})+(?!\d)(?:[.,]\d{1,3}(?!\d))?|\d+(?:[.,:/]\d+)*|(?<!\d)\.\d+/g;
/** What belongs to an amount behind its number: no cents, and words such as million. */
const TAIL =
  /^(?:\s?(?:[.,]-{1,2}|[.,][–—]|:[-–—]|\/[-–—=])(?!\d)|\s(?:thousand|mi(?:ll)?io(?:n|nen|ni)s?|mio\.|mrd\.|billion)\b)/iu;
/** `$45. 50` is one number, and not one that can be read. */
const CUT_BEFORE = /\d\s?[.,]+\s?$/;
const CUT_BEHIND = /^\s?[.,]+\s?\d/;
/** `4 99 €`: the number may begin further ahead. */
const DIGIT_BEFORE = /\d\s$/;
/** What makes an amount greater, in words and letters that have no one meaning: `$5 bn`, `₹2 crore`, `R$ 5 mil`. */
const SCALE_BEHIND =
  /^\s(?:hundreds?|thousands?|grand|k|m|b|t|bn|tn|mn|mm|mil|mill|mila|mille|mln|mld|mlrd|mrd|mio|tsd|tys|tis|tril\p{L}*|trn|[bm]il[jl]\p{L}*|milh\p{L}*|mili?ar\p{L}*|bili?\p{L}*|lakhs?|lacs?|l|cr|crores?|juta|jt|ribu|rb|tỷ|triệu|nghìn|ngàn|bin|milyon|milyar|тыс|тысяч\p{L}*|млн|млрд|миллион\p{L}*|миллиард\p{L}*|tūkst|ezer|millió|千|万|萬|百|億|亿|억|만|천)(?![\p{L}\d])/iu;
const RANGE_BEFORE = /\d\s?(?:[-–—~]|to|bis|à|tot|do|до)\s?$/iu;
const RANGE_BEHIND = /^\s?(?:[-–—~]|to|bis|à|tot|do|до)\s?\d/iu;

/**
 * Reads the one amount of a text that has words around it. Only a number beside a currency counts; two amounts that differ, and a
 * range, are a problem.
 */
export function amountInText(text: string, style: MoneyStyle): Reading<Money> {
  if (text.length > LONGEST) return { problem: `${quoted(text)} is too long to look for an amount in it` };
  // A text that is an amount needs no search, and no currency.
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
    // `Model R5` has no price, where nothing says that the site is of a country with rand.
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
    // Among words brackets may be the accountant's minus, or the author's.
    if (sign === "(" && behind.startsWith(")"))
      return { problem: `${quoted(text)} may be less than nothing` };
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

/** Up to two marks, each with a blank or a minus behind it: `USD $5`, `$-5`. */
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
