/** The result of reading a text as some type. */
export type Reading<T> =
  | { readonly value: T }
  /** Why it cannot be read. */
  | { readonly problem: string }
  /** The site's way to write "no value". */
  | { readonly isEmpty: true };

const LENGTH = 60;

/** A text of the page as part of a message: in quotes, and cut if long. */
export const quoted = (text: string): string =>
  `"${text.length <= LENGTH ? text : `${text.slice(0, LENGTH)}…`}"`;

/** A number or date outside its limits is a problem. */
export function between<T extends number | string>(
  { min, max }: { readonly min?: T; readonly max?: T },
  reading: Reading<T>,
): Reading<T> {
  if (!("value" in reading)) return reading;
  const { value } = reading;
  if (min !== undefined && isBelow(value, min)) return { problem: `${value} is below ${min}` };
  if (max !== undefined && isBelow(max, value)) return { problem: `${value} is above ${max}` };
  return reading;
}

/** Of two dates the more exact one is cut: `2024-12-31T10:00:00Z` is neither above nor below `2024-12-31`, nor is `2024-12`. */
function isBelow<T extends number | string>(one: T, other: T): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one < other;
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) < other.slice(0, length);
}

const NOT_ASCII_DIGIT = /(?![0-9])\p{Nd}/gu;
const IS_DIGIT = /^\p{Nd}$/u;

/** Decimal digits of every script as `0` to `9`: Arabic, Persian, Devanagari, Bengali, Thai, full-width and so on. */
const asciiDigits = (text: string): string => text.replace(NOT_ASCII_DIGIT, valueOf);

/** In Unicode the ten digits of a script are consecutive, zero first; adjacent runs have ten each. */
function valueOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

const DIRECTION = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const WIDE_SIGNS: Readonly<Record<string, string>> = { "￠": "¢", "￡": "£", "￥": "¥", "￦": "₩" };

/** Full-width digits and punctuation become ASCII, and direction marks are removed. */
export function plainText(text: string): string {
  // eslint-disable-next-line no-control-regex -- all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return asciiDigits(text)
    .replace(DIRECTION, "")
    .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[￠￡￥￦]/g, (sign) => WIDE_SIGNS[sign] ?? sign)
    .replace(/\s+/g, " ")
    .trim();
}

/** Invisible characters that come along with pasted text: soft hyphens, zero-width spaces, direction marks. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;
const UNSEEN_ALL = new RegExp(UNSEEN, "g");
/** Joiners belong to the characters around them, and Braille and Hangul blanks to their script: they are removed only at the ends. */
const AT_ENDS =
  /^[\s\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u2800\u3164\ufeff]$/;

/** A text as a person sees it. */
export const withoutUnseen = (text: string): string =>
  trimUnseen(UNSEEN.test(text) ? text.replace(UNSEEN_ALL, "").replace(/\s+/g, " ") : text);

/** For URLs, where only the ends are safe to trim. */
export function trimUnseen(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isNothing(text, from)) from++;
  while (to > from && isNothing(text, to - 1)) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

const isNothing = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= 32 || (code > 127 && AT_ENDS.test(text.charAt(at)));
};
