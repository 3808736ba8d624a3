import { isSecretParameter } from "./secret-parameter.ts";

const MARK = "***";
const USERINFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]+@/gi;
const HEADER = /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s{0,9}[:=]\s{0,9})[^\r\n]+/gi;
const SCHEME = /\b(bearer|basic)\s+([\w.~+/=-]{6,})/gi;
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g;
/** Of this house: API keys, whose first part is the name that people know them by, and secrets of webhooks. */
const OWN = /\b(sluice_[0-9a-f]{8}_|whsec_)[\w+/=-]{8,}/g;
const PARAMETER = /([?&;#]|&amp;)([\w.$%[\]-]{1,80})=([^&;#\s"'<>]+)/g;
/** `password=x`, `"token": "x y"`, `secret: x`. */
const NAMED =
  /([\w-]{0,40}(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|signature))(["']?)(\s{0,9}[:=]\s{0,9})("[^"]*"|'[^']*'|[^\s"'&,;)}\]]+)(?=(\s+\S)?)/gi;

/** What is shown to people, written to logs and stored with failures must not hold what opens doors. */
export const redactSecrets = (text: string): string =>
  text
    .replace(USERINFO, `$1${MARK}@`)
    .replace(HEADER, `$1$2${MARK}`)
    .replace(SCHEME, (whole, scheme: string, value: string) =>
      isRandom(value) ? `${scheme} ${MARK}` : whole,
    )
    .replace(JWT, MARK)
    .replace(OWN, `$1${MARK}`)
    .replace(PARAMETER, (whole, mark: string, name: string, value: string) =>
      isSecretParameter(name, value) ? `${mark}${name}=${MARK}` : whole,
    )
    .replace(NAMED, (whole, name: string, quote: string, sign: string, value: string, more?: string) =>
      isValue(sign, value, more !== undefined) ? `${name}${quote}${sign}${MARK}` : whole,
    );

/** `passwd: not an http URL` goes on as a sentence does, and has a word where a secret would stand. */
const isValue = (sign: string, value: string, goesOn: boolean): boolean =>
  sign.includes("=") || /^["']/.test(value) || isRandom(value) || !(goesOn || WORD.test(value));

const WORD = /^(?:required|missing|invalid|expired|empty|undefined|null|none|wrong)\.?$/i;
const isRandom = (value: string): boolean => /[^A-Za-z.'-]|[a-z][A-Z]/.test(value) || value.length >= 24;
