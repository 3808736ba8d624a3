import { decimalOf } from "./number-locale.ts";

/** How a currency is written beside an amount. */
export interface CurrencyMark {
  /** ISO 4217 codes that it may stand for, the usual ones first; none where ISO has no code. */
  readonly codes: readonly string[];
  /** Hundredths of the currency: `50¢`, `99p`. */
  readonly isMinor: boolean;
}

type Row = readonly [spellings: string, codes: string];

const DOLLARS =
  "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BBD BMD BND BSD BZD CUP DOP FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD";
const FRANCS = "CHF XAF XOF XPF CDF RWF BIF GNF DJF KMF";
const RUPEES = "INR PKR LKR NPR MUR SCR";
const PESOS = "MXN ARS CLP COP CUP DOP PHP UYU";

/** Signs, with the letters that tell countries apart. What `Intl` has beside these is added from there. */
const SIGNS: readonly Row[] = [
  ["$", DOLLARS],
  ["US$|U.S.$|U$S|U$D|USD$|$US|$ US", "USD"],
  ["CA$|C$|CDN$|CAD$|Can$|$ CA|$CA|$ CAN|$ CDN", "CAD"],
  ["AU$|A$|AUD$|$ AU", "AUD"],
  ["NZ$|NZD$|$ NZ", "NZD"],
  ["HK$", "HKD"],
  ["NT$", "TWD"],
  ["S$|SG$", "SGD"],
  ["MX$|Mex$", "MXN"],
  ["R$", "BRL"],
  ["RD$", "DOP"],
  ["AR$", "ARS"],
  ["COL$|CO$", "COP"],
  ["$U", "UYU"],
  ["J$|JA$", "JMD"],
  ["TT$", "TTD"],
  ["BZ$", "BZD"],
  ["Bds$", "BBD"],
  ["EC$", "XCD"],
  ["FJ$", "FJD"],
  ["₩", "KRW"],
  ["¥", "JPY CNY"],
  ["JP¥", "JPY"],
  ["CN¥", "CNY"],
  ["£|£ stg", "GBP"],
  ["E£", "EGP"],
  ["GH₵|₵|GH¢", "GHS"],
];

/** In this case of letters only: otherwise they are feet, rooms, kilometres, or a word. */
const EXACT: readonly Row[] = [
  ["Ft", "HUF"],
  ["RM", "MYR"],
  ["TL", "TRY"],
  ["SR", "SAR"],
  ["KD", "KWD"],
  ["LE|L.E.", "EGP"],
  ["DH", "MAD"],
  ["Dh", "MAD AED"],
  ["DT", "TND"],
  ["Tk", "BDT"],
  ["Bs", "BOB VES"],
  ["RMB", "CNY"],
  ["M.N.", "MXN"],
  ["FCFA|F CFA|F.CFA|CFA", "XOF XAF"],
  ["VNĐ", "VND"],
];

/** Before an amount only, in capitals. */
const LETTERS_BEFORE: readonly Row[] = [
  ["R", "ZAR"],
  ["Q", "GTQ"],
  ["S/|S/.", "PEN"],
];

/** Only where the site's country has them: they mean too much elsewhere. */
const OF_COUNTRY: readonly Row[] = [
  ["N", "NGN NAD"],
  ["P", "PHP BWP"],
  ["L", "HNL"],
  ["K", "ZMW PGK MMK"],
  ["KM", "BAM"],
  ["B/.", "PAB"],
  ["Kz", "AOA"],
  ["Ar", "MGA"],
  ["F", FRANCS],
];

/** In any case of letters. A dot may follow. */
const WORDS: readonly Row[] = [
  ["euro|euros|euri|eura|ευρώ|евро", "EUR"],
  ["dollar|dollars|dollari|dólar|dolar|dólares|dolares", DOLLARS],
  ["kr|krone|kroner", "SEK NOK DKK ISK"],
  ["krona|kronor", "SEK"],
  ["kronur|krónur", "ISK"],
  ["kč|koruna|koruny|korun", "CZK"],
  ["zł|zl|złotych|złote|złoty|zlotych|zlote|zloty", "PLN"],
  ["fr|sfr|franken|franchi", "CHF"],
  ["franc|francs|franco|francos|frank|franków|franki", FRANCS],
  ["lei|leu", "RON"],
  ["rs|rupee|rupees|rupia|rupias|rupie", RUPEES],
  ["रुपये|रुपए|रु", "INR"],
  ["rp", "IDR"],
  ["лв|лева", "BGN"],
  ["din|дин", "RSD"],
  ["ден", "MKD"],
  ["руб|р|рублей|рубля|рубль", "RUB"],
  ["грн|гривень|гривні", "UAH"],
  ["тг|тенге", "KZT"],
  ["reais|real", "BRL"],
  ["peso|pesos", PESOS],
  // Without that word they may be weights.
  ["pound sterling|pounds sterling|sterling|sterline|libras esterlinas|livres sterling", "GBP"],
  ["forint", "HUF"],
  ["yen|円", "JPY"],
  ["元|圆|圓|块", "CNY TWD HKD"],
  ["원", "KRW"],
  ["บาท|baht", "THB"],
  ["đ", "VND"],
  ["ksh|kshs", "KES"],
  ["ush", "UGX"],
  ["tsh", "TZS"],
  ["dhs", "AED"],
  ["gs", "PYG"],
  ["php", "PHP"],
  ['ש"ח|ש״ח', "ILS"],
  ["جنيه", "EGP"],
  ["ریال", "IRR"],
  // Ten rials: a name of everyday life, without a code.
  ["تومان", ""],
  ["lire", ""],
];

/** Behind an amount only. */
const MINOR: readonly Row[] = [
  ["¢", `${DOLLARS} EUR`],
  ["cent|cents", `${DOLLARS} EUR ZAR`],
  ["pence|penny", "GBP"],
  ["centime|centimes", `EUR ${FRANCS}`],
  ["céntimos|centesimi|cêntimos", "EUR"],
  ["centavos", `BRL ${PESOS}`],
  ["öre", "SEK"],
  ["øre", "NOK DKK"],
  ["rappen", "CHF"],
  ["groszy|grosze", "PLN"],
  ["коп|копеек", "RUB UAH BYN"],
  ["paise", RUPEES],
];
/** Only where they touch the number: `336 p.` is how some write roubles. */
const MINOR_LETTERS: readonly Row[] = [
  ["c", `${DOLLARS} EUR ZAR`],
  ["p", "GBP"],
];
/** Where decimals are written with a point, these are carats or a count. */
const MINOR_WITH_COMMA: readonly Row[] = [["ct|cts", "EUR"]];
/** Grams, unless a currency stands before: `12 zł 50 gr`. */
const MINOR_IN_COMPOUND: readonly Row[] = [["gr|p|c|ct", "PLN GBP EUR"]];

/** Codes that people also write in small letters; others are words then: `all`, `cup`, `top`, `try`. */
const SMALL_CODES =
  "usd eur gbp chf sek nok dkk pln czk huf jpy cny inr cad aud nzd sgd hkd brl mxn zar rub uah thb krw twd idr myr vnd aed sar".split(
    " ",
  );

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

/** Countries that use the dollar of another. */
const WITH_US_DOLLAR = new Set(["EC", "SV", "PR", "GU", "VI", "PA", "TL"]);

/** Codes begin with their country's: of several currencies that share a sign, the country's own is meant. */
export const codeOfRegion = (codes: readonly string[], region: string): string | undefined =>
  codes.find((code) => code.startsWith(region)) ??
  (WITH_US_DOLLAR.has(region) && codes.includes("USD") ? "USD" : undefined);

/** The country of a locale. English alone is of too many. */
export function regionOf(locale: string): string | undefined {
  const { language, region } = new Intl.Locale(locale);
  if (region !== undefined || language === "en") return region;
  return new Intl.Locale(locale).maximize().region;
}

const decimals = new Map<string, number>();

/** How many decimals amounts in a currency have: 2 for most, 0 for yen, 3 for the dinars of Kuwait. */
export function decimalsOf(code: string): number {
  const known = decimals.get(code);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  const count = format.resolvedOptions().maximumFractionDigits ?? 2;
  decimals.set(code, count);
  return count;
}

const homes = new Map<string, "." | ",">();

/** The decimal mark in the country that a currency is of; undefined for those of several countries. */
export function homeDecimal(code: string): "." | "," | undefined {
  if (code === "EUR" || code.startsWith("X")) return undefined;
  const known = homes.get(code);
  if (known !== undefined) return known;
  const { language, region } = new Intl.Locale(`und-${code.slice(0, 2)}`).maximize();
  const mark = decimalOf(`${language}-${region ?? ""}`);
  homes.set(code, mark);
  return mark;
}
