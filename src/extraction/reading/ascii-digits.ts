const NOT_ASCII_DIGIT = /(?![0-9])\p{Nd}/gu;
const IS_DIGIT = /^\p{Nd}$/u;

/** Decimal digits of every script as `0` to `9`: Arabic, Persian, Devanagari, Bengali, Thai, full-width and the like. */
const asciiDigits = (text: string): string => text.replace(NOT_ASCII_DIGIT, valueOf);

/** Unicode keeps the ten digits of a script together, zero first; where two such runs touch, both have ten. */
function valueOf(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

const DIRECTION = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const WIDE_SIGNS: Readonly<Record<string, string>> = { "￠": "¢", "￡": "£", "￥": "¥", "￦": "₩" };

/** The text with ASCII digits and punctuation in place of full-width ones, and without marks of direction. */
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
