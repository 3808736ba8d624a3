import { codeOfRegion } from "./currencies.ts";
import {
  EXACT,
  LETTERS_BEFORE,
  MINOR,
  MINOR_IN_COMPOUND,
  MINOR_LETTERS,
  MINOR_WITH_COMMA,
  OF_COUNTRY,
  SIGNS,
  SMALL_CODES,
  WORDS,
} from "./currency-spellings.ts";
import type { Row } from "./currency-spellings.ts";

/** How a currency is written beside an amount. */
export interface CurrencyMark {
  /** ISO 4217 codes that it may stand for, the usual ones first; none where ISO has no code. */
  readonly codes: readonly string[];
  /** Hundredths of the currency: `50¢`, `99p`. */
  readonly isMinor: boolean;
}

/** Languages whose signs for other countries' currencies `Intl` is asked for. */
const SIGN_LANGUAGES = ["en", "ar", "fa"];

export interface MarkTable {
  /** The source of a pattern for what may stand before an amount. */
  readonly before: string;
  readonly behind: string;
  /** What may stand behind the second number of `12 zł 50 gr`. */
  readonly compound: string;
  readonly markOf: (written: string, isBehind: boolean) => CurrencyMark;
}

const tables = new Map<string, MarkTable>();

/** The marks that a country's sites may have; `hasComma`: their decimal mark is a comma. */
export function currencyMarks(region: string | undefined, hasComma: boolean): MarkTable {
  const key = `${region ?? ""} ${hasComma}`;
  const known = tables.get(key);
  if (known !== undefined) return known;
  const ofCountry = OF_COUNTRY.filter((row) => region !== undefined && codeOfRegion(codesOf(row), region));
  const minor = [...MINOR, ...(hasComma ? MINOR_WITH_COMMA : [])];
  const exact = [...SIGNS, ...EXACT, ...ofCountry];
  const both = [
    patternOf([...exact, ...signsOfIntl()]),
    `(?i:${patternOf(WORDS)})`,
    `(?<!\\p{L})(?:${CODES.join("|")}|(?i:${SMALL_CODES.join("|")}))(?!\\p{L})`,
    // Before an amount, ¢ may be how somebody typed ₡.
    "(?<!\\p{L})(?!¢)\\p{Sc}",
  ].join("|");
  const letters = MINOR_LETTERS.map(([letter]) => letter).join("|");
  const cents = `(?i:${patternOf(minor)})|(?<=\\d)(?:${letters})(?!\\p{L})`;
  const byWriting = {
    cents: mapOf([...MINOR_IN_COMPOUND, ...MINOR_LETTERS, ...minor]),
    whole: mapOf([...exact, ...LETTERS_BEFORE]),
    words: mapOf(WORDS),
    others: mapOf(signsOfIntl()),
  };
  const table: MarkTable = {
    // Letters of a country that is not in the lists; `k€`, `M$` and `T€` are thousands and millions.
    before: `${both}|${patternOf(LETTERS_BEFORE)}|(?<!\\p{L})(?![KMT][$£])\\p{Lu}\\p{L}{0,2}[$£]`,
    behind: `${both}|${cents}`,
    compound: `${cents}|(?i:${patternOf(MINOR_IN_COMPOUND)})`,
    markOf(written, isBehind) {
      const mark = keyOf(written);
      const small = mark.toLowerCase();
      const minorCodes = isBehind ? byWriting.cents.get(small) : undefined;
      if (minorCodes !== undefined) return { codes: minorCodes, isMinor: true };
      const codes =
        byWriting.whole.get(mark) ??
        (isCode(mark) ? [mark.toUpperCase()] : byWriting.words.get(small)) ??
        byWriting.others.get(mark) ??
        // Letters that nobody here knows, before a sign: some country's.
        byWriting.whole.get(mark.slice(-1)) ??
        byWriting.others.get(mark.slice(-1));
      return { codes: codes ?? [], isMinor: false };
    },
  };
  tables.set(key, table);
  return table;
}

const CODES = Intl.supportedValuesOf("currency");

const isCode = (mark: string): boolean => CODES.includes(mark) || SMALL_CODES.includes(mark.toLowerCase());

const codesOf = ([, codes]: Row): string[] => codes.split(" ").filter((code) => code !== "");
const keyOf = (spelling: string): string => spelling.replace(/\s/g, "").replace(/(?<=.)\.$/, "");

const mapOf = (rows: readonly Row[]): ReadonlyMap<string, readonly string[]> =>
  new Map(rows.flatMap((row) => row[0].split("|").map((one) => [keyOf(one), codesOf(row)] as const)));

/** A dot may follow letters, and a blank stand between them and their sign: `Rs.`, `US $`. */
const patternOf = (rows: readonly Row[]): string =>
  rows
    .flatMap(([spellings]) => spellings.split("|"))
    .toSorted((a, b) => b.length - a.length)
    .map((spelling) => {
      const escaped = spelling
        .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
        .replace(/(?<=^(?:\p{L}{2,}|C))(?=\\\$)/u, "\\s?")
        .replace(/ /g, "\\s?");
      // Words of Chinese, Japanese and Korean stand together: `1万円`.
      const start = /^\p{L}/u.test(spelling) && !/^[\p{sc=Han}\p{sc=Hang}]/u.test(spelling);
      return `${start ? "(?<!\\p{L})" : ""}${escaped}${/\p{L}$/u.test(spelling) ? "(?!\\p{L})\\.?" : ""}`;
    })
    .join("|");

let derived: readonly Row[] | undefined;

/** Signs such as ₴, Kč or ر.س that `Intl` knows; letters of the Latin alphabet are left to the lists above. */
function signsOfIntl(): readonly Row[] {
  if (derived !== undefined) return derived;
  const found = new Map<string, Set<string>>();
  for (const language of SIGN_LANGUAGES)
    for (const code of CODES) {
      const format = { style: "currency", currency: code, currencyDisplay: "narrowSymbol" } as const;
      const parts = new Intl.NumberFormat(language, format).formatToParts(1);
      const sign = keyOf(
        (parts.find(({ type }) => type === "currency")?.value ?? code).replace(/[\u200e\u200f\u061c]/g, ""),
      );
      if (!/^[\x20-\x7f]+$|[¥£]/.test(sign)) found.set(sign, (found.get(sign) ?? new Set()).add(code));
    }
  derived = [...found].map(([sign, of]) => [sign, [...of].join(" ")] as const);
  return derived;
}
