import { isSecretName } from "../../collectors/http/secrets.ts";
import { fieldName } from "./verify-fields.ts";

/** What distinguishes the pages of the site: the whole URL, or a named part of it. */
export type DraftInput =
  | { readonly name: "url"; readonly value: string }
  /** The page's path and query are `before`, the encoded value, `after`. */
  | { readonly name: string; readonly value: string; readonly before: string; readonly after: string };

const isYear = (text: string): boolean => /^(?:19|20)\d\d$/.test(text);
const isShort = (text: string): boolean => /^\d{1,2}$/.test(text);
/** Digits, perhaps after a few letters and with separators: `123`, `R-0045`, `107-000007-17`. */
const ID = /^[A-Za-z]{0,4}[-_]?\d[\dA-Za-z]*(?:[-_.]\d[\dA-Za-z]*)*$/;
const ID_NAME = /id$|parcel|property|account|number|apn|pin|key|code|item|product|sku/i;

/** `asked` is the input's name, if a person gave one; `url` keeps the whole URL. */
export const guessInput = (url: URL, asked?: string): DraftInput => {
  const whole: DraftInput = { name: "url", value: url.href };
  if (asked === "url") return whole;
  return fromQuery(url, asked) ?? fromPath(url, asked) ?? whole;
};

const fromQuery = (url: URL, asked: string | undefined): DraftInput | undefined => {
  const parts = [...url.search.matchAll(/[?&]([^=&]+)=([^&]*)/g)].map((match) => ({
    name: plainValue(match[1]!),
    value: plainValue(match[2]!),
    from: match.index + match[0].length - match[2]!.length,
    length: match[2]!.length,
  }));
  const ids = parts.filter(({ value }) => ID.test(value) && !isYear(value));
  const part =
    parts.find(({ name }) => name === asked) ??
    ids.find(({ name }) => ID_NAME.test(name)) ??
    // One of several parameters may be a size or a sort order; a short number is a page.
    (parts.length === 1 ? ids.find(({ value }) => !isShort(value)) : undefined);
  if (part === undefined) return undefined;
  const name = inputName(asked ?? part.name);
  const before = url.pathname + url.search.slice(0, part.from);
  return { name, value: part.value, before, after: url.search.slice(part.from + part.length) };
};

const fromPath = (url: URL, asked: string | undefined): DraftInput | undefined => {
  const segments = url.pathname.split("/");
  for (let at = segments.length - 1; at > 0; at--) {
    const [segment = "", extension = ""] = splitExtension(segments[at]!);
    const value = plainValue(segment);
    if (!ID.test(value) || isYear(value) || isDayOrPage(segments, at, value)) continue;
    const before = `${segments.slice(0, at).join("/")}/`;
    const after = [extension, ...segments.slice(at + 1).map((each) => `/${each}`)].join("") + url.search;
    const named = segments[at - 1] ?? "";
    return { name: inputName(asked ?? singular(named)), value, before, after };
  }
  return undefined;
};

/** `/2021/08/15/…` and `/page/2`. */
const isDayOrPage = (segments: readonly string[], at: number, value: string): boolean =>
  isShort(value) && (segments.slice(0, at).some(isYear) || /^pages?$/i.test(segments[at - 1] ?? ""));

const splitExtension = (segment: string): readonly string[] =>
  /^(.*?)(\.(?:html?|aspx?|php|jsp))$/i.exec(segment)?.slice(1) ?? [segment];

const singular = (word: string): string => word.replace(/ies$/, "y").replace(/([^s])s$/, "$1");

/** A valid variable name. */
const inputName = (text: string): string => {
  const name = fieldName(text) ?? "id";
  return RESERVED.has(name) ? `${name}Id` : name;
};

/** Words that cannot be variable names, and `url`, which means the whole URL. */
const RESERVED = new Set(
  (
    "url break case catch class const continue debugger default delete do else enum export extends false finally for function if import " +
    "in instanceof new null return super switch this throw true try typeof var void while with yield let static await input http keep"
  ).split(" "),
);

/** A value of a query or a path, where `+` is a space. */
const plainValue = (text: string): string => decoded(text.replaceAll("+", " "));

const SESSION =
  /(?:^|[-_.])(?:sid|sess|session(?:_?id)?|jsessionid|phpsessid|aspsessionid\w*|cftoken|sig)(?:$|[-_.])/;

/** Whether a URL parameter holds a secret or a session, by its name. A short number is the key of a thing. */
const isSecret = (name: string, value: string): boolean => {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  if (words === "key" && /^\d{1,10}$/.test(value)) return false;
  return SESSION.test(words) || isSecretName(words);
};

const PARAMETER = /([?&;])([^=?&;#\s/]+)=([^?&;#\s"'/]*)/g;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The URL without secret parameters; `leftOut` has their names. The rest stays unchanged. */
export const withoutSecrets = (url: URL): { readonly url: URL; readonly leftOut: readonly string[] } => {
  const leftOut: string[] = [];
  const href = url.href.replace(PARAMETER, (all, mark: string, name: string, value: string) => {
    if (!isSecret(decoded(name), value)) return all;
    leftOut.push(decoded(name));
    return mark === "?" ? "?" : "";
  });
  return { url: new URL(href.replace(/\?&/, "?").replace(/\?$/, "")), leftOut };
};

/** A text with the secrets of its URLs replaced by `…`. */
export const blotSecrets = (text: string): string =>
  text.replace(PARAMETER, (all, mark: string, name: string, value: string) =>
    isSecret(decoded(name), value) ? `${mark}${name}=…` : all,
  );
