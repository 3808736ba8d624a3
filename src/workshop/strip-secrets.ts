import { isSecretName } from "../collectors/http/secret-name.ts";
import type { KeptPage } from "../model/capture.ts";

export const STRIPPED = "stripped";

/** Short-lived keys of a session or a form, by the names that frameworks give them. */
const SESSION =
  /^(?:(?:jsession|phpsess|aspsession|asp\.net_session|session|sess|auth)[\w-]*|sid|cfid|cftoken|__viewstate(?!generator|encrypted)\w*|__eventvalidation|__requestverificationtoken|nonce|s[ae]ml(?:request|response))$|csrf|xsrf|authenticity|(?:access|refresh|id|bearer|request)_?token/i;

const isSecret = (name: string): boolean => SESSION.test(name) || isSecretName(name);

/** `name=value` in a query, a path parameter or a form-encoded text. */
const PARAMETER = /([?&;]|&amp;)([\w.$%[\]-]{1,80})=([^&;#\s"'<>]+)/g;
const TAG = /<(input|meta)\b(?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const VALUE = /(\s(?:value|content)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
const SCRIPT = /(<script\b[^>]*>)([^]*?)(<\/script)/gi;
/** Names in scripts are written in any way; what is shorter than eight characters opens nothing. */
const ASSIGNED = /(["']?)([A-Za-z_$][\w$.-]{1,60})\1(\s*[:=]\s*)(["'`])([^"'`\s]{8,})\4/g;
/** JSON Web Tokens: two parts of base64url that begin with `{"`, and a signature. */
const JWT = /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g;
const USERINFO = /\b(https?:\/\/)[^\s/?#@"'<>]+@/gi;

export interface Stripping {
  /** What was taken out, in words, each once. */
  readonly found: ReadonlySet<string>;
  text(text: string): string;
  page(page: KeptPage): KeptPage;
  /** Every text in a value; members that are named like secrets go as a whole. */
  value(value: unknown): unknown;
}

/** Takes out what opens doors, and leaves lines and everything that people read as they are. */
export const openStripping = (): Stripping => {
  const found = new Set<string>();

  const inUrls = (text: string): string =>
    text
      .replace(USERINFO, (_, scheme: string) => {
        found.add("user name and password in a URL");
        return `${scheme}${STRIPPED}@`;
      })
      .replace(PARAMETER, (whole, mark: string, name: string, value: string) =>
        isSecret(name) && value !== STRIPPED ? `${mark}${name}=${note(`URL parameter ${name}`)}` : whole,
      )
      .replace(JWT, () => note("a JSON Web Token"));

  const note = (what: string): string => {
    found.add(what);
    return STRIPPED;
  };

  const inTags = (text: string): string =>
    text.replace(TAG, (tag, kind: string) => {
      const name = attribute(tag, "name") ?? attribute(tag, "property") ?? attribute(tag, "id") ?? "";
      const isPassword = attribute(tag, "type")?.toLowerCase() === "password";
      if (!isPassword && !isSecret(name)) return tag;
      return tag.replace(VALUE, (whole, before: string, ...values: (string | undefined)[]) => {
        const value = values.slice(0, 3).find((one) => one !== undefined) ?? "";
        if (value === "" || value === STRIPPED) return whole;
        return `${before}"${note(`${kind.toLowerCase()} ${name === "" ? "password" : name}`)}"`;
      });
    });

  const inScripts = (text: string): string =>
    text.replace(SCRIPT, (_, open: string, code: string, close: string) => open + assigned(code) + close);

  const assigned = (code: string): string =>
    code.replace(ASSIGNED, (whole, q: string, name: string, mid: string, quote: string, value: string) => {
      const last = name.split(".").at(-1) ?? name;
      return isSecret(snake(last)) && value !== STRIPPED
        ? `${q}${name}${q}${mid}${quote}${note(`${last} in a script`)}${quote}`
        : whole;
    });

  const strip = (text: string): string => inUrls(inScripts(inTags(text)));

  const value = (of: unknown): unknown => {
    if (typeof of === "string") return inUrls(of);
    if (Array.isArray(of)) return of.map(value);
    if (typeof of !== "object" || of === null) return of;
    return Object.fromEntries(
      Object.entries(of).map(([name, part]) => [
        name,
        isSecret(name) && typeof part === "string" ? note(`input ${name}`) : value(part),
      ]),
    );
  };

  return {
    found,
    text: inUrls,
    page: (page) => ({
      ...page,
      url: inUrls(page.url),
      text: /json/.test(page.mediaType) ? inUrls(assigned(page.text)) : strip(page.text),
    }),
    value,
  };
};

const attribute = (tag: string, name: string): string | undefined => {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag);
  return match?.[1] ?? match?.[2] ?? match?.[3];
};

/** `csrfToken` is named like `csrf_token`. */
const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2");
