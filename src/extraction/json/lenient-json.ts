import { decodeHTML } from "entities";
import { LiteralReader } from "./literal-reader.ts";
import { parseJson } from "./parse-json.ts";

const OPENING = /^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/;
const CLOSING = /(?:\/\/|\/\*)?\s*(?:-->|\]\]>)\s*(?:\*\/)?$/;
/** The end of a wrapper is short: only so much of a script is searched for it. */
const CLOSING_LENGTH = 40;

/**
 * JSON as pages have it: in CDATA or a comment, HTML-escaped, with comments, commas too many, line breaks inside of texts, or
 * something behind it. Undefined when it cannot be read even so.
 */
export function parseLenientJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    const bare = unwrapped(text);
    return new LiteralReader(bare).read() ?? (isEscaped(bare) ? parseUnescaped(bare) : undefined);
  }
}

function unwrapped(text: string): string {
  const opened = text.trim().replace(OPENING, "");
  return opened.slice(0, -CLOSING_LENGTH) + opened.slice(-CLOSING_LENGTH).replace(CLOSING, "");
}

const isEscaped = (text: string): boolean => /^\s*[[{]\s*(?:&quot;|&#0*34;|&#x0*22;)/i.test(text);

function parseUnescaped(text: string): unknown {
  const decoded = decodeHTML(text);
  try {
    return parseJson(decoded);
  } catch {
    return new LiteralReader(decoded).read();
  }
}
