import spellings from "./currency-spellings.json" with { type: "json" };
import { decimalOf } from "./read-number.ts";

type Row = readonly [spellings: string, codes: string];

/** Spellings with `|` between them, and the ISO 4217 codes that each may stand for; `<dollars>` and the like are groups of codes. */
const rowsOf = (table: Readonly<Record<string, string>>): readonly Row[] =>
  Object.entries(table).map(([written, codes]) => [
    written,
    codes.replace(/<(\w+)>/g, (_, group: string) => groups[group] ?? ""),
  ]);
const groups: Readonly<Record<string, string>> = spellings.groups;

/** Signs, with the letters that tell countries apart. What `Intl` knows beyond these is added from there. */
const SIGNS = rowsOf(spellings.signs);
/** Only in this case of letters: otherwise they are feet, rooms, kilometres, or a word. */
const EXACT = rowsOf(spellings.exact);
/** Only before an amount, in capitals. */
const LETTERS_BEFORE = rowsOf(spellings.lettersBefore);
/** Only where the site's country uses them: elsewhere they mean other things. */
const OF_COUNTRY = rowsOf(spellings.ofCountry);
/** In any case of letters. */
const WORDS = rowsOf(spellings.words);
/** Hundredths, only after an amount. */
const MINOR = rowsOf(spellings.minor);
/** Only where they touch the number: some write `336 p.` for roubles. */
const MINOR_LETTERS = rowsOf(spellings.minorLetters);
/** Where decimals are written with a point, these are carats or a count. */
const MINOR_WITH_COMMA = rowsOf(spellings.minorWithComma);
/** Grams, unless a currency stands before: `12 zł 50 gr`. */
const MINOR_IN_COMPOUND = rowsOf(spellings.minorInCompound);
/** Codes that people also write in lower case. Others are words then: `all`, `cup`, `top`, `try`. */
const SMALL_CODES = spellings.smallCodes.split(" ");

/** How a currency is written beside an amount. */
export interface CurrencyMark {
  /** ISO 4217 codes that it may stand for, the usual ones first; none if ISO has no code. */
  readonly codes: readonly string[];
  /** Hundredths of the currency: `50¢`, `99p`. */
  readonly isMinor: boolean;
}

interface FoundMark extends CurrencyMark {
  readonly from: number;
  readonly to: number;
}

type Side = "before" | "behind";

/** The marks that a site may write beside its amounts. Each lookup returns the longest mark that matches. */
export interface MarkTable {
  /** A mark that begins here. */
  readonly startingAt: (text: string, from: number, side: Side) => FoundMark | undefined;
  /** A mark that ends here. */
  readonly endingAt: (text: string, to: number, side: Side) => FoundMark | undefined;
  /** After the second number in `12 zł 50 gr`. */
  readonly cents: (written: string) => CurrencyMark | undefined;
}

const tables = new Map<string, MarkTable>();

/** The marks of a locale's country and of all countries; `hasComma`: the site's decimal mark is a comma. */
export function currencyMarks(locale: string | undefined, hasComma: boolean): MarkTable {
  const key = `${locale ?? ""} ${hasComma}`;
  const known = tables.get(key);
  if (known !== undefined) return known;
  const made = tableOf(locale === undefined ? [] : rowsOfCountry(locale), hasComma);
  tables.set(key, made);
  return made;
}

function rowsOfCountry(locale: string): readonly Row[] {
  const region = regionOf(locale);
  if (region === undefined) return [];
  const own = CODES.filter((code) => code.startsWith(region));
  const rows = OF_COUNTRY.filter((row) => codeOfRegion(codesOf(row), region) !== undefined);
  return [...rows, ...signsIn(locale, own)];
}

function tableOf(ofCountry: readonly Row[], hasComma: boolean): MarkTable {
  // Later rows override earlier ones.
  const codeRows = CODES.map((code) => [code, code] as const);
  const exact = marksOf([...codeRows, ...SIGNS, ...EXACT, ...ofCountry]);
  const others = marksOf(signsOfIntl());
  const letters = marksOf(LETTERS_BEFORE);
  const words = marksOf([...SMALL_CODES.map((code) => [code, code.toUpperCase()] as const), ...WORDS]);
  const minor = marksOf([...MINOR, ...(hasComma ? MINOR_WITH_COMMA : [])], true);
  const touching = marksOf(MINOR_LETTERS, true);
  const inCompound = marksOf([...MINOR_IN_COMPOUND, ...MINOR], true);
  const longest = Math.max(
    ...[exact, letters, words, minor].flatMap((marks) => [...marks.keys()].map(({ length }) => length)),
  );

  const markOf = (written: string, side: Side, isTouching: boolean): CurrencyMark | undefined => {
    const small = written.toLowerCase();
    const ofSide =
      side === "before"
        ? letters.get(written)
        : (minor.get(small) ?? (isTouching ? touching.get(written) : undefined));
    return (
      ofSide ??
      exact.get(written) ??
      words.get(small) ??
      others.get(written) ??
      unknownSign(written, side, exact)
    );
  };
  const find = (text: string, from: number, to: number, side: Side): FoundMark | undefined => {
    const isTouching = side === "behind" && from > 0 && isDigit(text, from - 1);
    const mark = markOf(text.slice(from, to), side, isTouching);
    return mark === undefined || isPartOfWord(text, from, to) ? undefined : { ...mark, from, to };
  };
  return {
    startingAt(text, from, side) {
      let end = from;
      while (end < text.length && end < from + longest && !isDigit(text, end)) end++;
      for (let to = end; to > from; to--) {
        const found = find(text, from, to, side);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    endingAt(text, to, side) {
      let start = to;
      while (start > 0 && start > to - longest && !isDigit(text, start - 1)) start--;
      for (let from = start; from < to; from++) {
        const found = find(text, from, to, side);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    cents: (written) => inCompound.get(written.toLowerCase()),
  };
}

/** Before an amount, ¢ may be a mistyped ₡. Letters before a sign may be a country's, except K, M and T for thousands and millions. */
function unknownSign(
  written: string,
  side: Side,
  exact: ReadonlyMap<string, CurrencyMark>,
): CurrencyMark | undefined {
  if (written.length === 1) return written !== "¢" && /\p{Sc}/u.test(written) ? NO_CODE : undefined;
  const isCountry = side === "before" && /^(?![KMT][$£])\p{Lu}\p{L}{0,2}[$£]$/u.test(written);
  return isCountry ? exact.get(written.slice(-1)) : undefined;
}

/** No mark contains digits. */
const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

const NO_CODE: CurrencyMark = { codes: [], isMinor: false };
const CODES = Intl.supportedValuesOf("currency");
const LETTER = /[\p{L}\p{M}]/u;
/** Chinese, Japanese and Korean words are written without blanks: `1万円`. */
const JOINED = /[\p{sc=Han}\p{sc=Hang}]/u;

function isPartOfWord(text: string, from: number, to: number): boolean {
  const first = text.charAt(from);
  const begins = from > 0 && LETTER.test(first) && !JOINED.test(first) && LETTER.test(text.charAt(from - 1));
  return begins || (to < text.length && LETTER.test(text.charAt(to - 1)) && LETTER.test(text.charAt(to)));
}

const codesOf = ([, codes]: Row): string[] => codes.split(" ").filter((code) => code !== "");

/** A dot may follow letters, and a blank may separate them from their sign: `Rs.`, `US $`. */
function marksOf(rows: readonly Row[], isMinor = false): ReadonlyMap<string, CurrencyMark> {
  const marks = new Map<string, CurrencyMark>();
  for (const row of rows)
    for (const spelling of row[0].split("|")) {
      const mark = { codes: codesOf(row), isMinor };
      const spaced = spelling.replace(/(?<=^(?:\p{L}{2,}|C))\$/u, " $");
      for (const one of new Set([spelling, spaced, spelling.replace(/ /g, "")]))
        for (const written of LETTER.test(one.slice(-1)) ? [one, `${one}.`] : [one]) marks.set(written, mark);
    }
  return marks;
}

let derived: readonly Row[] | undefined;

/** Signs such as ₴, Kč or ر.س that `Intl` knows; Latin letters are left to the tables. */
const signsOfIntl = (): readonly Row[] =>
  (derived ??= [...signsIn("en", CODES), ...signsIn("ar", ARAB), ...signsIn("fa", ["IRR", "AFN"])]);

const ARAB = "AED BHD DZD EGP IQD JOD KWD LBP LYD MAD MRU OMR QAR SAR SDG SYP TND YER".split(" ");

function signsIn(locale: string, codes: readonly string[]): readonly Row[] {
  const found = new Map<string, Set<string>>();
  for (const code of codes)
    for (const currencyDisplay of ["symbol", "narrowSymbol"] as const) {
      const format = new Intl.NumberFormat(locale, { style: "currency", currency: code, currencyDisplay });
      const sign = format.formatToParts(1).find(({ type }) => type === "currency")?.value ?? code;
      const key = sign
        .replace(/[\u200e\u200f\u061c]/g, "")
        .replace(/\s+/g, " ")
        .replace(/(?<=.)\.$/, "");
      if (!/^[\x20-\x7f]+$|[¥£]/.test(key)) found.set(key, (found.get(key) ?? new Set()).add(code));
    }
  return [...found].map(([sign, of]) => [sign, [...of].join(" ")] as const);
}

/** Countries that use the US dollar. */
const WITH_US_DOLLAR = new Set(["EC", "SV", "PR", "GU", "VI", "PA", "TL"]);

/** Codes begin with the country's code: of several currencies with one sign, the country's own is meant. */
export const codeOfRegion = (codes: readonly string[], region: string): string | undefined =>
  codes.find((code) => code.startsWith(region)) ??
  (WITH_US_DOLLAR.has(region) && codes.includes("USD") ? "USD" : undefined);

/** The country of a locale. English alone has too many. */
export function regionOf(locale: string): string | undefined {
  const { language, region } = new Intl.Locale(locale);
  if (region !== undefined || language === "en") return region;
  return new Intl.Locale(locale).maximize().region;
}

/** `Intl` reflects common use; ISO 4217 gives the Iraqi dinar three decimals, and amounts may have them. */
const decimals = new Map<string, number>([["IQD", 3]]);

/** Decimals of a currency: 2 for most, 0 for yen, 3 for the Kuwaiti dinar. */
export function decimalsOf(code: string): number {
  const known = decimals.get(code);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  const count = format.resolvedOptions().maximumFractionDigits ?? 2;
  decimals.set(code, count);
  return count;
}

const homes = new Map<string, "." | ",">();

/** The decimal mark in the currency's country; undefined for currencies of several countries. */
export function homeDecimal(code: string): "." | "," | undefined {
  if (code === "EUR" || code.startsWith("X")) return undefined;
  const known = homes.get(code);
  if (known !== undefined) return known;
  const { language, region } = new Intl.Locale(`und-${code.slice(0, 2)}`).maximize();
  const mark = decimalOf(`${language}-${region ?? ""}`);
  homes.set(code, mark);
  return mark;
}
