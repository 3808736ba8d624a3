import { plainText } from "./ascii-digits.ts";
import { tableOf } from "./money-patterns.ts";
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
const RANGE_BEFORE = /\d\s?[-–—]\s?$/;
const RANGE_BEHIND = /^\s?[-–—]\s?\d/;

/**
 * Reads the one amount of a text that has words around it. Only a number beside a currency counts; two amounts that differ, and a
 * range, are a problem.
 */
export function amountInText(text: string, style: MoneyStyle): Reading<Money> {
  if (text.length > LONGEST) return { problem: `${quoted(text)} is too long to look for an amount in it` };
  const plain = plainText(text);
  const { ends, starts } = tableOf(style);
  let found: Money | undefined;
  for (const { 0: number, index } of plain.matchAll(NUMBER)) {
    let before = plain.slice(0, index);
    let behind = plain.slice(index + number.length);
    const tail = TAIL.exec(behind)?.[0] ?? "";
    behind = behind.slice(tail.length);
    const front = ends.exec(before)?.[0] ?? "";
    const back = starts.exec(behind)?.[0] ?? "";
    if (front === "" && back === "") continue;
    before = before.slice(0, before.length - front.length);
    behind = behind.slice(back.length);
    const range = RANGE_BEFORE.test(before) || RANGE_BEHIND.test(behind);
    if (range || /^[\p{L}\d]/u.test(behind)) return { problem: `${quoted(text)} has no single amount` };
    const sign = /(?<![\p{L}\d])[-−(]$/u.exec(before)?.[0] ?? "";
    const written = `${sign}${front}${number}${tail}${back}${sign === "(" && behind.startsWith(")") ? ")" : ""}`;
    const reading = parseMoney(sign === "(" && !behind.startsWith(")") ? written.slice(1) : written, style);
    if (!("value" in reading))
      return "problem" in reading ? reading : { problem: `${quoted(text)} has no amount` };
    if (found !== undefined && !isSame(found, reading.value))
      return { problem: `${quoted(text)} has more than one amount` };
    found ??= reading.value;
  }
  return found === undefined
    ? { problem: `${quoted(text)} has no amount with a currency` }
    : { value: found };
}

const isSame = (one: Money, other: Money): boolean =>
  one.amount === other.amount && String(one.codes) === String(other.codes);
