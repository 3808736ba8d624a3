/** Names of sessions and of forms' one-time keys, as frameworks write them; without their marks. */
const SESSION =
  /^(?:sid|sig|pw|pwd|auth|bearer|cookies?|setcookie|(?:proxy)?authorization|cfid|cftoken|nonce|(?:j|php|asp(?:net)?|java)?sess(?:ion)?(?:id|key|token|state)?|aspsessionid\w*|viewstate\d*|eventvalidation|requestverificationtoken|saml(?:request|response|art))$/;
/** A name with one of these words in it, wherever it stands. */
const WORDS =
  /(?:^|_)(?:tokens?|secrets?|passwords?|passwd|passphrase|credentials?|signature|csrf|xsrf|authenticity|jwt|apikeys?|(?:api|access|private|secret|auth|subscription|license)_keys?)(?:_|$)|csrf|xsrf|password|apikey|accesstoken|authtoken|idtoken|refreshtoken|sessionid/;
/** Of these names most are harmless: an item's key, the session of a parliament. */
const DOUBTFUL = /^(?:keys?|session|signature|sig|nonce)$/;
const LONG_ENOUGH = 6;
const LIKE_A_KEY = /^(?=.*\d)(?=.*[A-Za-z])[\w.~+/=%-]{16,}$/;

/**
 * Whether a parameter, form field or attribute of this name opens doors. One list for what is shown and what is written down;
 * with the value, doubtful names are told apart.
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
