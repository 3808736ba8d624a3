/** Passwords in URLs, and the values of parameters and headers that are named like secrets. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi, "$1***@"],
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*)[^\r\n]+/gi, "$1$2***"],
  [
    /([\w-]*(?:api[_-]?key|access[_-]?key|token|secret|password|passwd|signature))(["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s"'&,;]+)/gi,
    "$1$2***",
  ],
];

/** What is shown to people and written to terminals must not hold what opens doors. */
export const redactSecrets = (text: string): string =>
  SECRETS.reduce((redacted, [secret, mark]) => redacted.replace(secret, mark), text);
