import type { Failure, FailureKind } from "../domain/failure.ts";

/** What the author of a scraper can do about a failure that a trial run met. */
export const failureAdvice = ({ kind, status }: Pick<Failure, "kind" | "status">): string =>
  kind === "navigation" && (status === 404 || status === 410) ? notFoundAdvice(status) : ADVICE[kind];

/** Many sites say so of what they do not have, which is an answer and no failure. */
export const notFoundAdvice = (status: number): string =>
  `Check the URL. If the site answers ${status} for what it does not have, take that as an answer: ` +
  `\`http.get(url, { accept: [${status}] })\`, then \`if (page.status === ${status}) throw absent()\`.`;

const ADVICE: Readonly<Record<FailureKind, string>> = {
  timeout: "Try again; a slow site needs a higher `limits.requestMs`.",
  connection: "Check `site`, the network and whether the site is up, then try again.",
  "rate-limited": "The site wants fewer requests: lower `pace.perSecond`. The lane is slowed down by itself.",
  blocked: "Look at the page in the archive. Slow down, or send the headers that the site wants.",
  captcha: "The site asks whether a person is there. Slow down and come back later.",
  maintenance: "Come back when the site is up again.",
  "server-error": "Try again; if it stays, compare the request with what a browser sends.",
  "structure-changed": "Correct the selectors; what each of them finds is shown above.",
  navigation:
    "A link, form or field that `collect` wants is not on the page: compare it with the page in a browser.",
  "invalid-input": "Correct the input.",
  "forbidden-target": "`collect` asks for an address that is not allowed: correct the link.",
  "robots-denied": 'robots.txt forbids it. If you may all the same, write `robots: "ignore"` in the scraper.',
  "too-large": "Raise `limits.bodyBytes` or `limits.decodedBytes` if such a page is right.",
  "bad-content": "What came is not what was wanted: look at the page in the archive.",
  "scraper-error": "Correct the scraper's code, and try again.",
  "worker-lost": "Try again.",
  budget: "Raise the budget.",
};
