const MARK = "***";
const USERINFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]+@/gi;
const HEADER = /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s{0,9}[:=]\s{0,9})[^\r\n]+/gi;
const SCHEME = /\b(bearer|basic)\s+([\w.~+/=-]{6,})/gi;
const JWT = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g;
/** Of this storage: API keys, whose first part is the name that people know them by, and secrets of webhooks. */
const OWN = /\b(sluice_[0-9a-f]{8}_|whsec_)[\w+/=-]{8,}/g;
const PARAMETER = /([?&;#]|&amp;)([\w.$%[\]-]{1,80})=([^&;#\s"'<>]+)/g;
/** `password=x`, `"token": "x y"`, `secret: x`. */
const NAMED =
  /([\w-]{0,40}(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|signature))(["']?)(\s{0,9}[:=]\s{0,9})("[^"]*"|'[^']*'|[^\s"'&,;)}\]]+)(?=(\s+\S)?)/gi;

/** Values that are secrets whatever is around them, in all encodings. */
const values = new Set<string>();
const SHORTEST_VALUE = 4;

/** From now on this value is redacted everywhere, also in a URL and in Base64. */
export const registerSecret = (secret: string): void => {
  if (secret.length < SHORTEST_VALUE) return;
  for (const each of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    values.add(each);
  // Of `user:secret`, whatever the length of the user: the letters that depend on the secret alone.
  for (const before of [0, 1, 2]) {
    const length = before + Buffer.byteLength(secret);
    const text = Buffer.from("x".repeat(before) + secret).toString("base64");
    const part = text.slice(Math.ceil((before * 4) / 3), Math.floor((length * 4) / 3));
    if (part.length >= LONG_ENOUGH) values.add(part);
  }
};

const withoutValues = (text: string): string => {
  let rest = text;
  for (const value of values) if (rest.includes(value)) rest = rest.replaceAll(value, MARK);
  return rest;
};

/** Redacts secrets from texts that are shown, logged or stored with failures. */
export const redactSecrets = (text: string): string =>
  withoutValues(text)
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

/** `passwd: not an http URL` continues as a sentence, with a word in the place of a secret. */
const isValue = (sign: string, value: string, goesOn: boolean): boolean =>
  sign.includes("=") || /^["']/.test(value) || isRandom(value) || !(goesOn || WORD.test(value));

const WORD = /^(?:required|missing|invalid|expired|empty|undefined|null|none|wrong)\.?$/i;
const isRandom = (value: string): boolean => /[^A-Za-z.'-]|[a-z][A-Z]/.test(value) || value.length >= 24;

/** Names of sessions and of forms' one-time keys, as frameworks write them; without their marks. */
const SESSION =
  /^(?:sid|sig|pw|pwd|auth|bearer|cookies?|setcookie|(?:proxy)?authorization|cfid|cftoken|nonce|(?:j|php|asp(?:net)?|java)?sess(?:ion)?(?:id|key|token|state)?|aspsessionid\w*|viewstate\d*|eventvalidation|requestverificationtoken|saml(?:request|response|art))$/;
/** A name that contains one of these words. */
const WORDS =
  /(?:^|_)(?:tokens?|secrets?|passwords?|passwd|passphrase|credentials?|signature|csrf|xsrf|authenticity|jwt|apikeys?|(?:api|access|private|secret|auth|subscription|license)_keys?)(?:_|$)|csrf|xsrf|password|apikey|accesstoken|authtoken|idtoken|refreshtoken|sessionid/;
/** Of these names most are harmless: an item's key, the session of a parliament. */
const DOUBTFUL = /^(?:keys?|session|signature|sig|nonce)$/;
const LONG_ENOUGH = 6;
const LIKE_A_KEY = /^(?=.*\d)(?=.*[A-Za-z])[\w.~+/=%-]{16,}$/;

/**
 * Whether a parameter, form field or attribute of this name is a secret. One list for what is shown and what is stored; the value decides for
 * ambiguous names.
 */
export const isSecretParameter = (name: string, value?: string): boolean => {
  const words = wordsOf(name);
  const plain = words.replaceAll("_", "");
  if (plain === "key" || plain === "keys") return value !== undefined && LIKE_A_KEY.test(value);
  if (value !== undefined && DOUBTFUL.test(plain) && value.length < LONG_ENOUGH) return false;
  return SESSION.test(plain) || WORDS.test(words);
};

/** `csrfToken`, `CSRF-Token` and `__csrf.token` are all `csrf_token`. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
