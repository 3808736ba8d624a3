import { decodeHTML } from "entities";

/** Deeper JSON is rejected: records are written by recursive functions. */
export const DEEPEST = 300;

export function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const inside of Object.values(one)) if (typeof inside === "object") next.push(inside);
    }
    level = next;
  }
  return false;
}

/** More digits than a JavaScript number holds exactly. */
const LONG_NUMBER = /\d{16}/;

/**
 * `JSON.parse`, but an integer that would lose digits becomes a string: keys of 17 digits and more are common. Throws
 * `SyntaxError`.
 */
export const parseJson = (text: string): unknown =>
  LONG_NUMBER.test(text) ? (JSON.parse(text, keepDigits) as unknown) : JSON.parse(text);

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? exactNumber(value, context?.source) : value;
}

const exactNumber = (value: number, source: string | undefined): number | string =>
  source !== undefined && /^-?\d{16,}$/.test(source) && String(value) !== source ? source : value;

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  0: "\0",
};
// A comment without an end takes the rest, so its end is searched only once.
const SPACE = /(?:[\s\uFEFF;]+|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)|<!--[^\n]*|-->)*/y;
const NUMBER = /[+-]?(?:0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/iy;
const WORD = /[\p{L}$_][\p{L}\p{N}$_]*/uy;
const PLAIN = /[^"'`\\$]+/y;
const POINT = /\{([\da-f]{1,6})\}/iy;

const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  undefined: null,
  NaN: null,
  Infinity: null,
};

/** Created once: a page may cause it a million times. */
const noLiteral = new SyntaxError("not a literal");

/** Reads a literal as JavaScript would: JSON with comments, single quotes, bare names, extra commas. Executes nothing. */
export class LiteralReader {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.#at = at;
  }

  /** How far it has read. */
  get at(): number {
    return this.#at;
  }

  /** The first value; what follows is ignored. Undefined if there is none. */
  read(): unknown {
    try {
      return this.#value();
    } catch (error) {
      if (error === noLiteral) return undefined;
      throw error;
    }
  }

  #value(): unknown {
    this.#skip(SPACE);
    switch (this.#text.charAt(this.#at)) {
      case "{":
        return this.#object();
      case "[":
        return this.#list();
      case '"':
      case "'":
      case "`":
        return this.#string();
      default:
        return this.#bare();
    }
  }

  #object(): unknown {
    const found: Record<string, unknown> = {};
    this.#inside("}", () => {
      const isQuoted = /["'`]/.test(this.#text[this.#at] ?? "");
      const name = isQuoted ? this.#string() : (this.#skip(WORD) ?? this.#skip(NUMBER));
      if (name === undefined) throw noLiteral;
      this.#skip(SPACE);
      if (this.#text[this.#at++] !== ":") throw noLiteral;
      const value = this.#value();
      // `__proto__` is an ordinary name here.
      Object.defineProperty(found, name, { value, enumerable: true, configurable: true, writable: true });
    });
    return found;
  }

  #list(): unknown {
    const found: unknown[] = [];
    this.#inside("]", () => found.push(this.#value()));
    return found;
  }

  #inside(close: string, readOne: () => void): void {
    this.#at++;
    if (++this.#depth > DEEPEST) throw noLiteral;
    // A comma may be missing, but `[10 -2]` is a subtraction, not a list of two.
    let isDue = false;
    for (;;) {
      this.#skip(SPACE);
      const next = this.#text[this.#at];
      if (next === undefined) throw noLiteral;
      if (next === close) break;
      if (next === ",") this.#at++;
      else if (isDue && (next === "-" || next === "+")) throw noLiteral;
      else readOne();
      isDue = next !== ",";
    }
    this.#at++;
    this.#depth--;
  }

  #string(): string {
    const quote = this.#text[this.#at++];
    let found = "";
    for (;;) {
      found += this.#skip(PLAIN) ?? "";
      const next = this.#text[this.#at++];
      if (next === undefined) throw noLiteral;
      if (next === quote) return found;
      // The value of a template placeholder is unknown.
      if (quote === "`" && next === "$" && this.#text[this.#at] === "{") throw noLiteral;
      found += next === "\\" ? this.#escape() : next;
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at++] ?? "";
    if (letter === "u" || letter === "x") {
      const point = letter === "u" ? this.#skip(POINT) : undefined;
      if (point !== undefined) {
        const code = Number.parseInt(point.slice(1), 16);
        if (code > 0x10ffff) throw noLiteral;
        return String.fromCodePoint(code);
      }
      const code = /^(?:[\da-f]{4}|[\da-f]{2})/i.exec(
        this.#text.slice(this.#at, this.#at + (letter === "u" ? 4 : 2)),
      );
      if (code === null) return letter;
      this.#at += code[0].length;
      return String.fromCharCode(Number.parseInt(code[0], 16));
    }
    return letter === "\n" ? "" : (ESCAPES[letter] ?? letter);
  }

  #bare(): unknown {
    const number = this.#skip(NUMBER);
    if (number !== undefined) return exactNumber(Number(number), number);
    const word = this.#skip(WORD) ?? "";
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    if (word === "JSON") return this.#parsed();
    throw noLiteral;
  }

  /** `JSON.parse("…")`, which some pages use because it loads faster. */
  #parsed(): unknown {
    if (!this.#text.startsWith(".parse(", this.#at)) throw noLiteral;
    this.#at += ".parse(".length;
    const inside = this.#value();
    if (typeof inside !== "string") throw noLiteral;
    return new LiteralReader(inside).#value();
  }

  #skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const OPENING = /^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/;
const CLOSING = /(?:\/\/|\/\*)?\s*(?:-->|\]\]>)\s*(?:\*\/)?$/;
/** Closing marks are short: only this many characters are searched for them. */
const CLOSING_LENGTH = 40;

/**
 * JSON as pages write it: in CDATA or a comment, HTML-escaped, with comments, extra commas, line breaks inside strings, or text
 * after it. Undefined if it cannot be read.
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
