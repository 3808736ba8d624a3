import type { KeptPage } from "../domain/capture.ts";
import { isSecretParameter } from "../domain/redact-secrets.ts";
import { pageKind, type PageKind } from "../extraction/parse-page.ts";

const STRIPPED = "stripped";

/** `name=value` in a query, a fragment, a path parameter or a form-encoded text. */
const PARAMETER = /([?&;#]|&amp;)([\w.$%[\]-]{1,80})=([^&;#\s"'<>]+)/g;
/** JSON Web Tokens: two parts of base64url that begin with `{"`, and a signature. */
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g;
const USERINFO = /\b(https?:\/\/)[^\s/?#@"'<>]+@/gi;

/** `<wsse:Password Type="…">…` in XML, an element with nothing but text in it. */
const ELEMENT = /(<(?:[\w.-]{1,60}:)?([\w.-]{2,60})(?:\s[^<>]{0,2000})?>)([^<]+)(?=<\/)/g;

/** Replaces a secret by a word and records what it was. Line breaks stay. */
type Note = (what: string, secret: string) => string;

interface Stripping {
  /** What was removed, in words, without duplicates. */
  readonly found: ReadonlySet<string>;
  /** Call it after `value`: secrets of the input are removed from the key too. */
  key(key: string): string;
  page(page: KeptPage): KeptPage;
  /** Strips every text in a value; members named like secrets are replaced as a whole. */
  value(value: unknown): unknown;
}

/** Removes secrets, and keeps line breaks and everything that people read. */
export const openStripping = (): Stripping => {
  const found = new Set<string>();
  const secrets = new Set<string>();

  const note: Note = (what, secret) => {
    if (secret.trim() === "" || secret.trim() === STRIPPED) return secret;
    found.add(what);
    return STRIPPED + secret.replace(/[^\n]+/g, "");
  };

  const inUrls = (text: string): string =>
    text
      .replace(USERINFO, (_, scheme: string) => {
        found.add("user name and password in a URL");
        return `${scheme}${STRIPPED}@`;
      })
      .replace(PARAMETER, (whole, mark: string, name: string, rest: string) => {
        // A path parameter ends where the query begins.
        const end = mark === ";" ? rest.indexOf("?") : -1;
        const value = end < 0 ? rest : rest.slice(0, end);
        if (!isSecretParameter(name, value)) return end < 0 ? whole : `${mark}${name}=${inUrls(rest)}`;
        const after = end < 0 ? "" : inUrls(rest.slice(end));
        return `${mark}${name}=${note(`URL parameter ${name}`, value)}${after}`;
      })
      .replace(JWT, (token) => note("a JSON Web Token", token));

  const inPage = (text: string): string => {
    const edits: Edit[] = [];
    for (const part of partsOf(text)) {
      if (part.what === "tag") edits.push(...tagEdits(part.name, part.attributes, note));
      else {
        const { from, to } = part;
        edits.push({ from, to, text: contentOf(part.of, part.attributes, text.slice(from, to), note) });
      }
    }
    return edited(text, edits);
  };

  const stripAs: Readonly<Record<PageKind, (text: string) => string>> = {
    html: inPage,
    xml: (text) =>
      inPage(text).replace(ELEMENT, (whole, before: string, name: string, content: string) =>
        isKey(name, content.trim()) ? before + note(`element ${name}`, content) : whole,
      ),
    json: (text) => stripCode(text, note),
  };

  const value = (of: unknown): unknown => {
    if (typeof of === "string") return inUrls(of);
    if (Array.isArray(of)) return of.map(value);
    if (typeof of !== "object" || of === null) return of;
    return Object.fromEntries(
      Object.entries(of).map(([name, part]) => {
        if (typeof part !== "string" || !isSecretParameter(name, part)) return [name, value(part)];
        secrets.add(part);
        return [name, note(`input ${name}`, part)];
      }),
    );
  };

  return {
    found,
    value,
    key(key) {
      const json = key.startsWith("{") ? parsed(key) : undefined;
      let text = json === undefined ? inUrls(key) : JSON.stringify(value(json));
      for (const secret of secrets) if (secret !== "") text = text.replaceAll(secret, STRIPPED);
      return text;
    },
    page: (page) => ({
      ...page,
      url: inUrls(page.url),
      text: inUrls(stripAs[pageKind(page)](page.text)),
    }),
  };
};

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The edits are in the order of the page and do not overlap. */
const edited = (text: string, edits: readonly Edit[]): string => {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of edits) {
    pieces.push(text.slice(at, edit.from), edit.text);
    at = edit.to;
  }
  return pieces.join("") + text.slice(at);
};

const FORM_TAGS: ReadonlySet<string> = new Set(["input", "meta", "button", "param", "option"]);

const tagEdits = (tag: string, attributes: readonly TagAttribute[], note: Note): Edit[] => {
  const value = valueOf(attributes, tag === "meta" ? "content" : "value");
  const name = nameOf(attributes);
  const isPassword = valueOf(attributes, "type")?.value.toLowerCase() === "password";
  const isWhole = FORM_TAGS.has(tag) && (isPassword || isSecretParameter(name, value?.value));
  return attributes.flatMap((one): Edit[] => {
    const what =
      isWhole && one === value
        ? `${tag} ${name === "" ? "password" : name}`
        : isSecretAttribute(one)
          ? `attribute ${one.name}`
          : undefined;
    return what === undefined ? [] : [{ from: one.from, to: one.to, text: note(what, one.value) }];
  });
};

/** `data-csrf="…"`, but not `data-key`, which is common in lists, and not selectors, paths or short words. */
const isSecretAttribute = ({ name, value }: TagAttribute): boolean =>
  name.startsWith("data-") && /^[^#./\s][^\s]{5,}$/.test(value) && isSecretParameter(name.slice(5), value);

const contentOf = (of: string, attributes: readonly TagAttribute[], content: string, note: Note): string => {
  if (of === "comment") return stripComment(content, note);
  if (of !== "textarea") return stripCode(content, note);
  const name = nameOf(attributes);
  return isSecretParameter(name, content) ? note(`textarea ${name}`, content) : content;
};

const valueOf = (attributes: readonly TagAttribute[], name: string): TagAttribute | undefined =>
  attributes.find((one) => one.name === name);

const nameOf = (attributes: readonly TagAttribute[]): string =>
  ["name", "property", "id"].map((name) => valueOf(attributes, name)?.value).find((name) => name) ?? "";

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const NAME = /(["'`]?)([A-Za-z_$][\w$.-]{1,60})\1/.source;
/** A quoted string, as in scripts and JSON. */
const quotedText = (group: string): string =>
  `(?<q${group}>["'\`])(?<${group}>(?:\\\\.|(?!\\k<q${group}>)[^\\\\\\n])*)\\k<q${group}>`;
/** `csrfToken = "…"`, `"password": "…"`, `Authorization: "Bearer …"`. */
const ASSIGNED = new RegExp(`${NAME}(\\s{0,99}[:=]\\s{0,99})${quotedText("value")}`, "g");
/** `setItem("token", "…")`, `setRequestHeader("Authorization", "…")`. */
const PASSED = new RegExp(
  `(\\(\\s{0,99}(["'\`])([\\w$.-]{2,60})\\2\\s{0,99},\\s{0,99})${quotedText("value")}`,
  "g",
);
/** `"session": {"id": "…"`: the object has a secret's name, its member a neutral one. */
const HELD = new RegExp(`${NAME}(\\s{0,99}[:=]\\s{0,99}\\{)([^}]{1,4000})`, "g");
const MEMBER = new RegExp(
  `${/(["'`]?)(id|key|value|data|hash|string)\1/.source}(\\s{0,99}:\\s{0,99})${quotedText("value")}`,
  "g",
);
/** In comments, also without quotes. */
const PLAIN = /(?<![\w$.-])([A-Za-z_$][\w$.-]{1,60})(\s{0,9}=\s{0,9})([^\s"'`&;<>]{4,})/g;

/** Names for which any text is a secret; for others only what looks like a key, because scripts contain words of many languages. */
const LOCKS = /passw|passphrase|pwd|authorization|cookie/i;
const SCHEME = /^(?:bearer|basic|token)\s/i;
const isKey = (name: string, value: string): boolean =>
  isSecretParameter(name, value) && (LOCKS.test(name) || SCHEME.test(value) || /^\S{8,}$/.test(value));

const lastOf = (name: string): string => name.split(".").at(-1) ?? name;

/** Strips strings in scripts and JSON that are assigned to a secret's name. */
const stripCode = (code: string, note: Note): string => {
  const noted = (value: string, name: string): string => note(`${name} in a script`, value);
  return code
    .replace(ASSIGNED, (whole, q: string, name: string, sign: string, quote: string, value: string) => {
      const last = lastOf(name);
      return isKey(last, value) ? `${q}${name}${q}${sign}${quote}${noted(value, last)}${quote}` : whole;
    })
    .replace(PASSED, (whole, before: string, _q: string, name: string, quote: string, value: string) =>
      isKey(name, value) ? `${before}${quote}${noted(value, name)}${quote}` : whole,
    )
    .replace(HELD, (whole, q: string, name: string, sign: string, members: string) => {
      const last = lastOf(name);
      if (!isSecretParameter(last)) return whole;
      const stripped = members.replace(
        MEMBER,
        (member, mq: string, inner: string, colon: string, quote: string, value: string) =>
          /^\S{6,}$/.test(value)
            ? `${mq}${inner}${mq}${colon}${quote}${noted(value, `${last}.${inner}`)}${quote}`
            : member,
      );
      return `${q}${name}${q}${sign}${stripped}`;
    });
};

const stripComment = (comment: string, note: Note): string =>
  stripCode(comment, note).replace(PLAIN, (whole, name: string, sign: string, value: string) =>
    isSecretParameter(lastOf(name), value) ? `${name}${sign}${note(`${name} in a comment`, value)}` : whole,
  );

/** One attribute of a start tag, with the range of its value, without quotes. */
interface TagAttribute {
  readonly name: string;
  readonly value: string;
  readonly from: number;
  readonly to: number;
}

/** A piece of a page's source that may contain secrets. */
type PagePart =
  | { readonly what: "tag"; readonly name: string; readonly attributes: readonly TagAttribute[] }
  /** The raw content of a script, style, comment or text area. */
  | ({ readonly what: "content"; readonly of: string; readonly attributes: readonly TagAttribute[] } & Span);

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Elements whose content is not HTML. */
const RAW = /^(?:script|style|textarea)$/;
const SPACE = /[\t\n\f\r ]/;

/**
 * Start tags, and the contents of comments, scripts and text areas, in the order of the page. As in browsers, a tag ends at a `>` outside
 * quotes, and an unclosed tag extends to the end. Runs in linear time.
 */
function* partsOf(text: string): Generator<PagePart> {
  let at = 0;
  for (;;) {
    at = text.indexOf("<", at);
    if (at < 0) return;
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      const to = end < 0 ? text.length : end;
      yield { what: "content", of: "comment", attributes: [], from: at + 4, to };
      at = to;
    } else if (/[A-Za-z]/.test(text[at + 1] ?? "")) {
      const tag = readTag(text, at + 1);
      const { name, attributes } = tag;
      at = tag.end;
      yield { what: "tag", name, attributes };
      if (!RAW.test(name)) continue;
      const close = new RegExp(`</${name}`, "gi");
      close.lastIndex = at;
      const to = close.exec(text)?.index ?? text.length;
      yield { what: "content", of: name, attributes, from: at, to };
      at = to;
    } else at++;
  }
}

const readTag = (
  text: string,
  start: number,
): { readonly name: string; readonly attributes: readonly TagAttribute[]; readonly end: number } => {
  const attributes: TagAttribute[] = [];
  let at = until(text, start, /[\t\n\f\r />]/y);
  const name = text.slice(start, at).toLowerCase();
  while (at < text.length && text[at] !== ">") {
    if (SPACE.test(text[at]!) || text[at] === "/") {
      at++;
      continue;
    }
    // A name may begin with `=`.
    const nameEnd = until(text, at + 1, /[\t\n\f\r />=]/y);
    const attribute = text.slice(at, nameEnd).toLowerCase();
    at = skipSpace(text, nameEnd);
    if (text[at] !== "=") continue;
    at = skipSpace(text, at + 1);
    const quote = text[at];
    const isQuoted = quote === '"' || quote === "'";
    const from = isQuoted ? at + 1 : at;
    const found = isQuoted ? text.indexOf(quote, from) : until(text, from, /[\t\n\f\r >]/y);
    const to = found < 0 ? text.length : found;
    attributes.push({ name: attribute, value: text.slice(from, to), from, to });
    at = isQuoted ? to + 1 : to;
  }
  return { name, attributes, end: Math.min(at + 1, text.length) };
};

const until = (text: string, from: number, end: RegExp): number => {
  let at = from;
  for (; at < text.length; at++) {
    end.lastIndex = at;
    if (end.test(text)) break;
  }
  return at;
};

const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && SPACE.test(text[at]!)) at++;
  return at;
};
