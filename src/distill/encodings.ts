interface Encoding {
  /** Undefined if the text cannot be encoded this way. */
  readonly apply: (text: string) => string | undefined;
  /** The same as source code, of an expression that is a string. */
  readonly code: (expression: string) => string;
  /** In words, after the name of what is encoded. */
  readonly words: string;
}

const trying =
  (step: (text: string) => string) =>
  (text: string): string | undefined => {
    try {
      return step(text);
    } catch {
      return undefined;
    }
  };

/** Ways in which scripts write a value into a request. The order is that of preference; `plain` comes first. */
const ENCODINGS = {
  plain: { apply: (text) => text, code: (text) => text, words: "" },
  trimmed: { apply: (text) => text.trim(), code: (text) => `${text}.trim()`, words: "without outer spaces" },
  url: {
    apply: trying(encodeURIComponent),
    code: (text) => `encodeURIComponent(${text})`,
    words: "percent-encoded",
  },
  urlPlus: {
    apply: trying((text) => encodeURIComponent(text).replaceAll("%20", "+")),
    code: (text) => `encodeURIComponent(${text}).replaceAll("%20", "+")`,
    words: "percent-encoded, with + for spaces",
  },
  urlDecoded: {
    apply: trying(decodeURIComponent),
    code: (text) => `decodeURIComponent(${text})`,
    words: "percent-decoded",
  },
  upper: {
    apply: (text) => text.toUpperCase(),
    code: (text) => `${text}.toUpperCase()`,
    words: "in upper case",
  },
  lower: {
    apply: (text) => text.toLowerCase(),
    code: (text) => `${text}.toLowerCase()`,
    words: "in lower case",
  },
  digits: {
    apply: (text) => text.replace(/\D/g, ""),
    code: (text) => `${text}.replace(/\\D/g, "")`,
    words: "its digits only",
  },
  number: {
    apply: (text) => (/^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, "") : undefined),
    code: (text) => `${text}.replace(/^0+(?=\\d)/, "")`,
    words: "without leading zeros",
  },
  base64: {
    apply: (text) => Buffer.from(text).toString("base64"),
    code: (text) => `Buffer.from(${text}).toString("base64")`,
    words: "in base64",
  },
  base64url: {
    apply: (text) => Buffer.from(text).toString("base64url"),
    code: (text) => `Buffer.from(${text}).toString("base64url")`,
    words: "in base64url",
  },
  /** As between the quotes of a script. */
  scriptDecoded: {
    apply: (text) => (text.includes("\\") ? unquoted(text) : text),
    code: (text) => `(JSON.parse(\`"\${${text}}"\`) as string)`,
    words: "with the escapes of its script decoded",
  },
} as const satisfies Readonly<Record<string, Encoding>>;

const unquoted = trying(
  (text) => JSON.parse(`"${text.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"')}"`) as string,
);

type NamedEncoding = keyof typeof ENCODINGS;

/** `grouped:3-4-3` puts a dash after the third and the seventh character. */
export type EncodingName = NamedEncoding | `grouped:${string}`;

export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly NamedEncoding[];

const encodingOf = (name: EncodingName): Encoding =>
  Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name as NamedEncoding] : grouped(name.slice("grouped:".length));

export const encode = (name: EncodingName, text: string): string | undefined => encodingOf(name).apply(text);
export const encodingCode = (name: EncodingName, expression: string): string =>
  encodingOf(name).code(expression);
export const encodingWords = (name: EncodingName): string => encodingOf(name).words;

/** `3-4-3`, or undefined if the value is not the text with marks between its characters. */
export const groupsOf = (text: string, value: string): EncodingName | undefined => {
  const marks = /[-. /]/g;
  if (!/^\w+$/.test(text) || value.replace(marks, "") !== text || value === text) return undefined;
  return `grouped:${value.replace(/\w+/g, (group) => String(group.length))}`;
};

const grouped = (groups: string): Encoding => {
  const sizes = groups.match(/\d+/g) ?? [];
  const pattern = `^${sizes.map((size) => `(\\w{${size}})`).join("")}$`;
  let group = 0;
  const replacement = groups.replace(/\d+/g, () => `$${++group}`);
  return {
    apply: (text) =>
      new RegExp(pattern).test(text) ? text.replace(new RegExp(pattern), replacement) : undefined,
    code: (text) => `${text}.replace(/${pattern}/, ${JSON.stringify(replacement)})`,
    words: `in groups of ${sizes.join(", ")}`,
  };
};
