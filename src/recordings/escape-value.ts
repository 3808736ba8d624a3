import { RecordingError } from "./recording-error.ts";

/** The kind of text in a recording. It decides how a value is written into it, so that no value can change its meaning. */
export type TextContext = "text" | "url" | "code" | "css" | "xpath" | "aria" | "playwright";

/** `{{parcel}}` with the name as it was written, right or wrong. */
export const PLACEHOLDER = /\{\{(.*?)\}\}/g;

/** The value for the placeholder at `at` of `text`. Throws `RecordingError` for a value that cannot be written there. */
type Escape = (value: string, text: string, at: number) => string;

/** The text with its placeholders replaced by values. */
export const fillIn = (text: string, context: TextContext, valueOf: (name: string) => string): string => {
  if (!text.includes("{{")) return text;
  if (context === "xpath") return fillInXpath(text, valueOf);
  const filled = text.replace(PLACEHOLDER, (_all, name: string, at: number) =>
    ESCAPES[context](valueOf(name.trim()), text, at),
  );
  if (context === "url" && !/^https?:\/\//i.test(filled) && /^\s*(?:\{\{|[a-z][a-z0-9+.-]*:)/i.test(text))
    throw new RecordingError(`${JSON.stringify(filled.slice(0, 200))} is not an http or https URL.`);
  return filled;
};

const QUOTES = `"'\``;

/** The quote that is open at `at`, if any. CSS, JavaScript and Playwright escape with a backslash. */
const quoteAt = (text: string, at: number): string | undefined => {
  let open: string | undefined;
  for (let i = 0; i < at; i++) {
    const char = text[i]!;
    if (char === "\\") i++;
    else if (open === undefined && QUOTES.includes(char)) open = char;
    else if (char === open) open = undefined;
  }
  return open;
};

const onlyNumber = (value: string, where: string): string => {
  if (/^\d{1,15}$/.test(value)) return value;
  throw new RecordingError(
    `${JSON.stringify(value.slice(0, 80))} cannot be used ${where} without quotes: only a whole number can. Put the placeholder in quotes.`,
  );
};

/** Hexadecimal escapes mean the same in a CSS string and in a CSS name. */
const escapeCss = (value: string, isName: boolean): string =>
  Array.from(value.toWellFormed())
    .map((char, at) =>
      /[A-Za-z_\u0080-\u{10ffff}]/u.test(char) || (/[-\d]/.test(char) && !(isName && at === 0))
        ? char
        : `\\${char.codePointAt(0)!.toString(16).padStart(6, "0")}`,
    )
    .join("");

const ESCAPES: Readonly<Record<Exclude<TextContext, "xpath">, Escape>> = {
  text: (value) => value,

  // At the beginning, a whole URL; elsewhere, a part of one.
  url(value, text, at) {
    if (text.slice(0, at).trim() === "") return value;
    const isSegment = text[at - 1] === "/" && /^(?:\{\{.*?\}\})(?:[/?#]|$)/.test(text.slice(at));
    if (isSegment && /^\.{1,2}$/.test(value))
      throw new RecordingError(`"${value}" as a part of a URL's path would lead to another page.`);
    return encodeURIComponent(value.toWellFormed());
  },

  code(value, text, at) {
    if (quoteAt(text, at) === undefined) return onlyNumber(value, "in an expression");
    return value.replace(/[^A-Za-z0-9]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  },

  css(value, text, at) {
    if (quoteAt(text, at) !== undefined) return escapeCss(value, false);
    if (/:nth-[a-z-]+\([^)]*$/.test(text.slice(0, at))) return onlyNumber(value, "in :nth-child()");
    return escapeCss(value, !/[\w-]$/.test(text.slice(0, at)));
  },

  // There is no way to escape these marks in an accessible name.
  aria(value) {
    if (/\[\s*(?:name|role)\s*=/i.test(value))
      throw new RecordingError(`${JSON.stringify(value.slice(0, 80))} cannot be used in an aria selector.`);
    return value;
  },

  playwright(value, text, at) {
    const quote = quoteAt(text, at);
    if (quote === undefined) return ESCAPES.css(value, text, at);
    return value
      .replace(/\p{Cc}+/gu, " ")
      .replace(/["'`\\]/g, (char) => (char === quote || char === "\\" ? `\\${char}` : char));
  },
};

const LITERAL = /"[^"]*"|'[^']*'/g;

/** XPath has no escapes: a literal is rewritten with the quotes that its text allows. Outside a literal, only numbers are allowed. */
const fillInXpath = (text: string, valueOf: (name: string) => string): string => {
  const replaced = (part: string, write: (value: string) => string): string =>
    part.replace(PLACEHOLDER, (_all, name: string) => write(valueOf(name.trim())));
  let filled = "";
  let from = 0;
  for (const { 0: literal, index } of text.matchAll(LITERAL)) {
    filled += replaced(text.slice(from, index), (value) => onlyNumber(value, "in XPath"));
    filled += literal.includes("{{") ? xpathText(replaced(literal.slice(1, -1), (value) => value)) : literal;
    from = index + literal.length;
  }
  return filled + replaced(text.slice(from), (value) => onlyNumber(value, "in XPath"));
};

/** A text as an XPath expression. */
export const xpathText = (value: string): string => {
  if (!value.includes('"')) return `"${value}"`;
  if (!value.includes("'")) return `'${value}'`;
  const parts = value.split('"').map((part) => `"${part}"`);
  return `concat(${parts.join(`, '"', `)})`;
};

export const cssText = (value: string): string => `"${escapeCss(value, false)}"`;

/** Quoted texts that are `value` become `{{name}}`. */
const nameLiterals = (text: string, value: string, name: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (literal) =>
    literal.slice(1, -1) === value ? `${literal[0]}{{${name}}}${literal[0]}` : literal,
  );

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part.replaceAll("+", " "));
  } catch {
    return part;
  }
};

/** The text with a recorded value replaced by a placeholder, where it is the whole text, a quoted text or a part of a URL. */
export const nameValue = (text: string, context: TextContext, value: string, name: string): string => {
  const whole = (part: string): string => (part === value ? `{{${name}}}` : part);
  switch (context) {
    case "text":
      return whole(text);
    case "url":
      return text.replace(/[^/?#&=;]+/g, (part) => (decoded(part) === value ? `{{${name}}}` : part));
    case "aria": {
      const [, label = "", role = ""] = /^(.*?)((?:\[\s*role\s*=.*)?)$/s.exec(text) ?? [];
      return whole(label) + role;
    }
    case "css":
    case "xpath":
    case "playwright":
    case "code":
      return nameLiterals(text, value, name);
    default:
      return context satisfies never;
  }
};
