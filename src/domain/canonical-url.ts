/** Not a URL by the WHATWG standard, or a relative one. Never repeats the input: it may hold a password. */
export class BadUrlError extends Error {
  readonly code = "bad-url";
  constructor() {
    super("not an absolute URL: it needs a scheme and a valid host, such as https://example.org/");
    this.name = "BadUrlError";
  }
}

interface CanonicalUrlOptions {
  /** Leave out parameters that only say where a visitor came from (`utm_*`, `gclid`, …). Off: a site may read them. */
  readonly dropTracking?: boolean;
}

/**
 * The key under which spellings of one URL are one item. Two URLs that a server may answer differently keep different
 * keys where that is at all common: an item folded by mistake is lost, one fetched twice is only a waste.
 * A key is not for fetching: credentials are left out. The rules are listed in docs/url-keys.md.
 */
export const canonicalUrl = (input: string, options: CanonicalUrlOptions = {}): string => {
  const url = URL.parse(input);
  if (url === null) throw new BadUrlError();
  // Each setter parses the whole URL again.
  if (url.username !== "") url.username = "";
  if (url.password !== "") url.password = "";
  // In a browser, the text after `#!` or `#/` is a separate page; any other fragment is a place on the page.
  const fragment = /^#[!/]/.test(url.hash) ? url.hash : "";
  // Other schemes have no agreed meaning for their query, nor for escapes in their path.
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    if (fragment === "") url.hash = "";
    return url.href;
  }
  return `${url.protocol}//${url.host}${canonicalPath(url.pathname)}${canonicalQuery(url.search, options)}${fragment}`;
};

/** Characters that RFC 3986 allows unescaped in a path. All others are escaped: `|` and `%7C` are one spelling. */
const NOT_IN_PATH = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g;

const canonicalPath = (path: string): string =>
  path.replace(/%([0-9A-Fa-f]{2})?/g, unescapeUnreserved).replace(NOT_IN_PATH, escapeByte);

const unescapeUnreserved = (_escape: string, hex: string | undefined): string => {
  // A stray `%` is escaped, or it could form a new escape with what comes after it.
  if (hex === undefined) return "%25";
  const character = String.fromCharCode(Number.parseInt(hex, 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : `%${hex.toUpperCase()}`;
};

const canonicalQuery = (search: string, { dropTracking = false }: CanonicalUrlOptions): string => {
  if (search === "") return "";
  const pairs = search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "")
    .map(readPair)
    .filter(({ name }) => !dropTracking || !TRACKING.test(name))
    // A stable sort: values of one name keep their order, which a site may well read (`sort=price&sort=name`).
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return pairs.length === 0 ? "" : `?${pairs.map(({ name, value }) => `${name}=${value}`).join("&")}`;
};

const readPair = (pair: string) => {
  const equals = pair.indexOf("=");
  return equals === -1
    ? { name: formText(pair), value: "" }
    : { name: formText(pair.slice(0, equals)), value: formText(pair.slice(equals + 1)) };
};

/** One spelling of a form-encoded text. Goes byte by byte, so that text in other encodings than UTF-8 comes through. */
const formText = (text: string): string =>
  /^[A-Za-z0-9\-._~]*$/.test(text)
    ? text
    : text
        .replaceAll("+", " ")
        .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(/[^A-Za-z0-9\-._~ ]/g, escapeByte)
        .replaceAll(" ", "+");

const escapeByte = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_cid|mc_eid|_ga|_gl)$/;
