import { withoutUserinfo } from "./request-url.ts";
import { isSecretName } from "./secret-name.ts";
import type { Headers } from "./wire.ts";

const REDACTED = "[redacted]";

/** Header values without secrets, for the archive: names of cookies and schemes stay, values go. */
export const redactHeaders = (headers: Headers): Headers => {
  // Most responses carry no secret: then the list itself will do.
  if (!headers.some(([name]) => isSecret(name))) return headers;
  return headers.map(([name, value]) => (isSecret(name) ? [name, redactValue(name, value)] : [name, value]));
};

/** A redirect's address may carry credentials. */
const isSecret = (name: string): boolean =>
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
