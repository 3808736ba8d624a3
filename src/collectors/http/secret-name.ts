const SECRET =
  /^(?:authorization|cookie|set-cookie|proxy-authorization)$|(?:^|[-_.$])(?:api)?(?:keys?|tokens?|secret|auth|passwords?|passwd|pwd|passphrase|credentials?|signature)(?:$|[-_.$])|apikey|password/i;
const known = new Map<string, boolean>();
const MOST_KNOWN = 1000;

/** Whether a header or form field of this name holds a secret: it goes to the site's own origin only, and is never stored. */
export const isSecretName = (name: string): boolean => {
  let isSecret = known.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET.test(name);
    if (known.size < MOST_KNOWN) known.set(name, isSecret);
  }
  return isSecret;
};
