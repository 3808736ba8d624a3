import { createRequire } from "node:module";
import type { isSupportedCountry, parsePhoneNumberFromString, PhoneNumber } from "libphonenumber-js";
import { loadOptional } from "../../domain/missing-package.ts";
import type { Taken } from "../scan/page-query.ts";
import { quoted, type Reading } from "./reading.ts";

type Letter =
  | ("A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M")
  | ("N" | "O" | "P" | "Q" | "R" | "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z");

export interface PhoneStyle {
  /** Whose numbers stand there without a country's code, such as `US`. */
  readonly country?: `${Letter}${Letter}`;
  /** `e164` by default: `+15125550142`. */
  readonly format?: "e164" | "national" | "international";
  /** Also refuses North American numbers whose area does not exist; false by default. */
  readonly isStrict?: boolean;
}

export const PHONE_TAKES: readonly Taken[] = ["text", "link"];

/** The text, unless it is a word ("Call us") over a link that has the number. */
export const pickPhone = ([text, link]: readonly (string | undefined)[]): string | undefined =>
  /^tel:/i.test(link ?? "") && !/\d{2}/.test(text ?? "") ? link : text;

const LONGEST = 80;
/** What a number is called, from the beginning of the word on: Telefonnummer, teléfono, Tfno, tlf, Fone, Handy, móvil, komórka, Rufnummer, centralino. */
const CALLED =
  "(?:t[eé]l[eéè]?|tfn|tlf|tf|f[oa]n|phone|ph|fax|faks|mob|m[oó]v|cel|handy|gsm|kom|natel|port|ruf|call|office|b[uü]ro|direct|durchwahl|central|zentrale|" +
  "n[uú]m|nr|n[º°]|contact|kontakt|contatt|appel|ring|whatsapp|v[oä]x|puh)";
const PREFIX = new RegExp(
  `^(?:${CALLED}\\p{L}*(?:[\\s./-]+\\p{L}+){0,2}\\s*(?:\\.?\\s?[:：]|\\.|\\s|(?=[+(]))|[tpfm]\\s?[.:]:?)\\s*(?=[+(\\d])`,
  "iu",
);
/** Digits that make a day of the calendar, written as one. */
const DAY =
  /^(?:0?[1-9]|[12]\d|3[01])([/.-])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d\d$|^(?:19|20)\d\d([/.-])(?:0[1-9]|1[0-2])\2(?:0[1-9]|[12]\d|3[01])$/;
/** Whose number it is: `(office)`. */
const SUFFIX = /\s\([\p{L} ]{1,20}\)$/u;
/** What people put between the digits of a number, its extension included. */
const WRITTEN =
  /^[+＋]?[\d\s().\-/–—‐‑·]+(?:(?:,|;)?\s*(?:ext\.?|extension|x|#|durchwahl|poste)\s*[.:]?\s*\d{1,7})?$/iu;

interface PhoneLibrary {
  readonly parsePhoneNumberFromString: typeof parsePhoneNumberFromString;
  readonly isSupportedCountry: typeof isSupportedCountry;
}

let library: PhoneLibrary | undefined;

/** An optional package of 12 MB: loaded by the first scraper that has such a field. */
const phoneLibrary = (): PhoneLibrary =>
  (library ??= loadOptional(
    "libphonenumber-js",
    "field.phone",
    () => createRequire(import.meta.url)("libphonenumber-js/min") as PhoneLibrary,
  ));

/** Throws on a country that has no code. */
export function phoneReader({
  country,
  format = "e164",
  isStrict = false,
}: PhoneStyle): (text: string) => Reading<string> {
  const { parsePhoneNumberFromString: parseNumber, isSupportedCountry: hasNumbers } = phoneLibrary();
  if (country !== undefined && !hasNumbers(country))
    throw new TypeError(`field.phone knows no country "${country}": write two letters, such as US`);
  return (text) => {
    const notPhone = { problem: `${quoted(text)} is not a phone number` };
    if (text.length > LONGEST) return notPhone;
    const plain = numberIn(text);
    if (!WRITTEN.test(plain) || DAY.test(plain)) return notPhone;
    if (/^[0\D]*0[0\D]*$/.test(plain)) return { isEmpty: true };
    const number = parseNumber(plain, { ...(country && { defaultCountry: country }), extract: false });
    if (number === undefined || !isGood(number, isStrict))
      return {
        problem: `${quoted(text)} is not a phone number${country === undefined && !plain.startsWith("+") ? ": it has no country code, so say which `country` it is of" : ` of ${country ?? "any country"}`}`,
      };
    if (format === "e164") return { value: number.format("E.164") };
    return { value: format === "national" ? number.formatNational() : number.formatInternational() };
  };
}

/** Some countries take almost any length for possible; a number that people are to call has more digits. */
const FEWEST_DIGITS = 7;

/** In North America length says enough, and made-up areas such as 555 are common. */
function isGood(number: PhoneNumber, isStrict: boolean): boolean {
  if (number.isValid()) return isStrict || number.nationalNumber.length >= FEWEST_DIGITS;
  return !isStrict && number.countryCallingCode === "1" && number.isPossible();
}

function numberIn(text: string): string {
  if (!/^tel:/i.test(text) || /^tel:\s/i.test(text))
    return text
      .replace(PREFIX, "")
      .replace(SUFFIX, "")
      .replace(/^\(\s?([+＋]\d{1,3})\s?\)/, "$1 ")
      .trim();
  const number = text.slice("tel:".length).replace(/;.*$/, "");
  try {
    return decodeURIComponent(number).trim();
  } catch {
    return number.trim();
  }
}
