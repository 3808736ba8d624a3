import { pageKind, type PageKind } from "../extraction/parse-page.ts";
import type { KeptPage } from "../domain/capture.ts";
import { isSecretParameter } from "../domain/redact-secrets.ts";
import { partsOf, type TagAttribute } from "./page-tags.ts";
import { isKey, stripCode, stripComment } from "./strip-code.ts";

const STRIPPED = "stripped";

/** `name=value` in a query, a fragment, a path parameter or a form-encoded text. */
const PARAMETER = /([?&;#]|&amp;)([\w.$%[\]-]{1,80})=([^&;#\s"'<>]+)/g;
/** JSON Web Tokens: two parts of base64url that begin with `{"`, and a signature. */
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g;
const USERINFO = /\b(https?:\/\/)[^\s/?#@"'<>]+@/gi;

/** `<wsse:Password Type="…">…` in XML, an element with nothing but text in it. */
const ELEMENT = /(<(?:[\w.-]{1,60}:)?([\w.-]{2,60})(?:\s[^<>]{0,2000})?>)([^<]+)(?=<\/)/g;

/** Puts a word in the place of a secret, and takes down what it was. Lines stay where they are. */
export type Note = (what: string, secret: string) => string;

interface Stripping {
  /** What was taken out, in words, each once. */
  readonly found: ReadonlySet<string>;
  /** After `value`: what was secret in the input is so in the key. */
  key(key: string): string;
  page(page: KeptPage): KeptPage;
  /** Every text in a value; members that are named like secrets go as a whole. */
  value(value: unknown): unknown;
}

/** Takes out what opens doors, and leaves lines and everything that people read as they are. */
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

/** The edits come in the order of the page and do not overlap. */
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

/** `data-csrf="…"`; not `data-key`, which lists of anything have, and nothing that is a selector, a path or a word of two. */
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
