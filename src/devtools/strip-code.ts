import { isSecretParameter } from "../domain/redact-secrets.ts";
import type { Note } from "./strip-secrets.ts";

const NAME = /(["'`]?)([A-Za-z_$][\w$.-]{1,60})\1/.source;
/** A text in quotes, as scripts and JSON write it. */
const text = (group: string): string =>
  `(?<q${group}>["'\`])(?<${group}>(?:\\\\.|(?!\\k<q${group}>)[^\\\\\\n])*)\\k<q${group}>`;
/** `csrfToken = "…"`, `"password": "…"`, `Authorization: "Bearer …"`. */
const ASSIGNED = new RegExp(`${NAME}(\\s{0,99}[:=]\\s{0,99})${text("value")}`, "g");
/** `setItem("token", "…")`, `setRequestHeader("Authorization", "…")`. */
const PASSED = new RegExp(
  `(\\(\\s{0,99}(["'\`])([\\w$.-]{2,60})\\2\\s{0,99},\\s{0,99})${text("value")}`,
  "g",
);
/** `"session": {"id": "…"`: what such an object holds is the secret, under a name that says nothing. */
const HELD = new RegExp(`${NAME}(\\s{0,99}[:=]\\s{0,99}\\{)([^}]{1,4000})`, "g");
const MEMBER = new RegExp(
  `${/(["'`]?)(id|key|value|data|hash|string)\1/.source}(\\s{0,99}:\\s{0,99})${text("value")}`,
  "g",
);
/** In comments also without quotes. */
const PLAIN = /(?<![\w$.-])([A-Za-z_$][\w$.-]{1,60})(\s{0,9}=\s{0,9})([^\s"'`&;<>]{4,})/g;

/** Of these any text is one; of the others only what looks like a key, for scripts hold words in many languages. */
const LOCKS = /passw|passphrase|pwd|authorization|cookie/i;
const SCHEME = /^(?:bearer|basic|token)\s/i;
export const isKey = (name: string, value: string): boolean =>
  isSecretParameter(name, value) && (LOCKS.test(name) || SCHEME.test(value) || /^\S{8,}$/.test(value));

const lastOf = (name: string): string => name.split(".").at(-1) ?? name;

/** Texts in scripts and JSON that are given to something named like a secret. */
export const stripCode = (code: string, note: Note): string => {
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

export const stripComment = (comment: string, note: Note): string =>
  stripCode(comment, note).replace(PLAIN, (whole, name: string, sign: string, value: string) =>
    isSecretParameter(lastOf(name), value) ? `${name}${sign}${note(`${name} in a comment`, value)}` : whole,
  );
