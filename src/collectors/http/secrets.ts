import type { Headers } from "./wire.ts";

const SECRET =
  /^(?:authorization|cookie|set-cookie|proxy-authorization)$|(?:^|[-_.$])(?:api)?(?:keys?|tokens?|secret|auth|passwords?|passwd|pwd|passphrase|credentials?|signature)(?:$|[-_.$])|apikey|password/i;
const known = new Map<string, boolean>();
const MOST_KNOWN = 1000;

/** Whether a header or form field of this name holds a secret: it is sent to the site's own origin only, and never stored. */
export const isSecretName = (name: string): boolean => {
  let isSecret = known.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET.test(name);
    if (known.size < MOST_KNOWN) known.set(name, isSecret);
  }
  return isSecret;
};

export const REDACTED = "[redacted]";

/** Header values without secrets, for the archive: names of cookies and schemes stay. */
export const redactHeaders = (headers: Headers): Headers => {
  // Most responses carry no secret: then no copy is made.
  if (!headers.some(([name]) => isRedacted(name))) return headers;
  return headers.map(([name, value]) => [name, isRedacted(name) ? redactValue(name, value) : value]);
};

/** A request body for the archive, without the values of fields that hold secrets: in a form, or at the top of a JSON object. */
export const redactBody = (contentType: string, body: Buffer): Buffer => {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    const form = [...new URLSearchParams(body.toString())];
    if (!form.some(([name]) => isSecretName(name))) return body;
    const redacted = form.map(([name, value]): [string, string] => [
      name,
      isSecretName(name) ? REDACTED : value,
    ]);
    return Buffer.from(new URLSearchParams(redacted).toString());
  }
  if (/\bjson\b/i.test(contentType)) {
    const fields = parsedObject(body.toString());
    const names = Object.keys(fields).filter(isSecretName);
    if (names.length === 0) return body;
    return Buffer.from(
      JSON.stringify({ ...fields, ...Object.fromEntries(names.map((name) => [name, REDACTED])) }),
    );
  }
  const isMultipart = /^multipart\//i.test(contentType);
  const names = isMultipart ? [...body.toString("latin1").matchAll(/\bname="([^"]*)"/g)] : [];
  return names.some(([, name = ""]) => isSecretName(name)) ? Buffer.from(REDACTED) : body;
};

const parsedObject = (text: string): object => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
};

/** The target of a redirect may carry credentials. */
const isRedacted = (name: string): boolean =>
  isSecretName(name) || (name.length === 8 && name.toLowerCase() === "location");

const redactValue = (name: string, value: string): string => {
  switch (name.toLowerCase()) {
    case "cookie":
      return value.split(";").map(redactCookie).join(";");
    case "set-cookie": {
      const [pair = "", ...attributes] = value.split(";");
      return [redactCookie(pair), ...attributes].join(";");
    }
    case "location":
      return withoutUserinfo(value);
    default: {
      const scheme = /^\S+(?=\s)/.exec(value.trim());
      return scheme ? `${scheme[0]} ${REDACTED}` : REDACTED;
    }
  }
};

/** A pair without "=" is all value. */
const redactCookie = (pair: string): string => {
  const at = pair.indexOf("=");
  return at < 0 ? pair.replace(/\S.*/, REDACTED) : pair.slice(0, at + 1) + REDACTED;
};

/** Moves user name and password from a URL into an `Authorization` for its origin, and drops its fragment. */
export const takeCredentials = (url: URL, byOrigin: Map<string, string>): void => {
  if (url.hash !== "") url.hash = "";
  if (url.username === "" && url.password === "") return;
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  byOrigin.set(url.origin, `Basic ${Buffer.from(pair).toString("base64")}`);
  dropCredentials(url);
};

export const dropCredentials = (url: URL): void => {
  url.username = "";
  url.password = "";
};

/** The same for text that may not be a URL. */
export const withoutUserinfo = (text: string): string =>
  text.replace(/^(\s*[a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, "$1//");

/** A stray "%" in a password is kept as it is. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
