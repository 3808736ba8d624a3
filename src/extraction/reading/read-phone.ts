import { createRequire } from "node:module";
import type { isSupportedCountry, parsePhoneNumberFromString, PhoneNumber } from "libphonenumber-js";
import { loadOptional } from "../../domain/missing-package.ts";
import type { Taken } from "../scan/page-query.ts";
import { quoted, type Reading } from "./reading.ts";

type Letter =
  | ("A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M")
  | ("N" | "O" | "P" | "Q" | "R" | "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z");

export interface PhoneStyle {
  /** The country of numbers without a country code, such as `US`. */
  readonly country?: `${Letter}${Letter}`;
  /** `e164` by default: `+15125550142`. */
  readonly format?: "e164" | "national" | "international";
  /** Also reject North American numbers with an area code that does not exist; false by default. */
  readonly isStrict?: boolean;
}

export const PHONE_TAKES: readonly Taken[] = ["text", "link"];

/** The text, unless it is only words ("Call us") and the link has the number. */
export const pickPhone = ([text, link]: readonly (string | undefined)[]): string | undefined =>
  /^tel:/i.test(link ?? "") && !/\d{2}/.test(text ?? "") ? link : text;

const LONGEST = 80;
/** Words for a phone number, from their beginning: Telefonnummer, teléfono, Tfno, tlf, Fone, Handy, móvil, komórka, Rufnummer, centralino. */
const CALLED =
  "(?:t[eé]l[eéè]?|tfn|tlf|tf|f[oa]n|phone|ph|fax|faks|mob|m[oó]v|cel|handy|gsm|kom|natel|port|ruf|call|office|b[uü]ro|direct|durchwahl|central|zentrale|" +
  "n[uú]m|nr|n[º°]|contact|kontakt|contatt|appel|ring|whatsapp|v[oä]x|puh)";
const PREFIX = new RegExp(
  `^(?:${CALLED}\\p{L}*(?:[\\s./-]+\\p{L}+){0,2}\\s*(?:\\.?\\s?[:：]|\\.|\\s|(?=[+(]))|[tpfm]\\s?[.:]:?)\\s*(?=[+(\\d])`,
  "iu",
);
/** Digits written as a date. */
const DAY =
  /^(?:0?[1-9]|[12]\d|3[01])([/.-])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d\d$|^(?:19|20)\d\d([/.-])(?:0[1-9]|1[0-2])\2(?:0[1-9]|[12]\d|3[01])$/;
/** A note after the number: `(office)`. */
const SUFFIX = /\s\([\p{L} ]{1,20}\)$/u;
/** What people write between the digits of a number, including an extension. */
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

/** Throws for an unknown country. */
export function phoneReader({
  country,
  format = "e164",
  isStrict = false,
}: PhoneStyle): (text: string) => Reading<string> {
  const { parsePhoneNumberFromString: parseNumber, isSupportedCountry: hasNumbers } = phoneLibrary();
  if (country !== undefined && !hasNumbers(country))
    throw new TypeError(`unknown country "${country}" in field.phone: expected two letters, for example US`);
  return (text) => {
    const notPhone = { problem: `${quoted(text)} is not a phone number` };
    if (text.length > LONGEST) return notPhone;
    const plain = numberIn(text);
    if (!WRITTEN.test(plain) || DAY.test(plain)) return notPhone;
    if (/^[0\D]*0[0\D]*$/.test(plain)) return { isEmpty: true };
    const number = parseNumber(plain, { ...(country && { defaultCountry: country }), extract: false });
    if (number === undefined || !isGood(number, isStrict))
      return {
        problem: `${quoted(text)} is not a phone number${country === undefined && !plain.startsWith("+") ? ": it has no country code, so set `country`" : ` of ${country ?? "any country"}`}`,
      };
    if (format === "e164") return { value: number.format("E.164") };
    return { value: format === "national" ? number.formatNational() : number.formatInternational() };
  };
}

/** Some countries accept almost any length; a number to call has more digits. */
const FEWEST_DIGITS = 7;

/** In North America the length is enough, and made-up area codes such as 555 are common. */
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
