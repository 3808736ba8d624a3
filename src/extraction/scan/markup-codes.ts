/** The characters that markup is made of, by code. */
export const BANG = 33;
export const DOUBLE_QUOTE = 34;
export const AMP = 38;
export const SINGLE_QUOTE = 39;
export const DASH = 45;
export const SLASH = 47;
export const LESS = 60;
export const EQUALS = 61;
export const GREATER = 62;
export const QUESTION = 63;

/** White space inside of tags: blank, line feed, tab, carriage return, form feed. */
export const isSpace = (code: number): boolean =>
  code === 32 || code === 10 || code === 9 || code === 13 || code === 12;

/** What ends the name of a tag. */
export const isNameEnd = (code: number): boolean => code === GREATER || code === SLASH || isSpace(code);

export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** ASCII only. */
export const lowerCase = (code: number): number => (code >= 65 && code <= 90 ? code | 32 : code);

export const asciiLowerCase = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
