/** More digits than a number of JavaScript holds exactly. */
const LONG_NUMBER = /\d{16}/;

/**
 * `JSON.parse`, but a whole number that would lose digits is given as the text that it is: keys of 17 digits and more are common. Throws
 * `SyntaxError`.
 */
export const parseJson = (text: string): unknown =>
  LONG_NUMBER.test(text) ? (JSON.parse(text, keepDigits) as unknown) : JSON.parse(text);

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? exactNumber(value, context?.source) : value;
}

export const exactNumber = (value: number, source: string | undefined): number | string =>
  source !== undefined && /^-?\d{16,}$/.test(source) && String(value) !== source ? source : value;
