import type { OptionNames } from "./known-options.ts";
import type { Backoff } from "./retry.ts";

export interface Failure {
  readonly kind: FailureKind;
  /** One sentence: what was expected, and what came instead. Never contains a secret. */
  readonly detail: string;
  readonly url?: string;
  readonly status?: number;
  /** From `Retry-After`, counted from the response. */
  readonly retryAfterMs?: number;
}

/** Carries a failure through scraper code: collectors throw it, the item's run catches it. */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(`${failure.kind}: ${failure.detail}`, options);
    this.name = "FailureError";
    this.failure = failure;
  }
}

/** The site says that it has no such thing: an outcome, not a failure. */
export class AbsentError extends Error {
  constructor(reason = "the site says that it has no such thing") {
    super(reason);
    this.name = "AbsentError";
  }
}

/** What happens after a failure. A scraper may override it for each kind. */
export interface FailurePolicy {
  /** Whether the item is tried again: `maxAttempts` is more than one. */
  readonly retries: boolean;
  /** Attempts in total, including the first. For `worker-lost`: deaths while the item ran alone. */
  readonly maxAttempts: number;
  /** Upper bound of the random wait before the next attempt. */
  readonly backoff: Backoff;
  /** The next attempt uses the next, more expensive proxy tier. */
  readonly movesProxyTier: boolean;
  /** Many of these slow the lane down. */
  readonly slowsLane: boolean;
  /** How much one failure counts in the breaker: from 0 (says nothing about the site) to 1. */
  readonly breakerWeight: number;
  /** It can end without intervention: a held lane is probed after a cool-down. */
  readonly heals: boolean;
  /** How long the failure is reused for the same input in later jobs. */
  readonly freshMs: number;
}

type PolicyOverride = Partial<Omit<FailurePolicy, "retries" | "backoff">> & {
  readonly backoff?: Partial<Backoff>;
};
export const POLICY_OPTIONS: OptionNames<PolicyOverride> = {
  maxAttempts: true,
  backoff: true,
  movesProxyTier: true,
  slowsLane: true,
  breakerWeight: true,
  heals: true,
  freshMs: true,
};

/** A scraper's changes to the policies of some kinds. */
export type PolicyOverrides = { readonly [kind in FailureKind]?: PolicyOverride };

interface FailureRow extends Omit<FailurePolicy, "retries"> {
  /** Stored in ledgers, in the recent results of a queue: a letter never changes its meaning. */
  readonly letter: string;
  /** Concerns the site as a whole, not one page: it is reported to the lane. */
  readonly isOfSite: boolean;
  /** A change to the scraper can fix it. */
  readonly isOfScraper: boolean;
  /** After such a change, the item is worth another attempt. */
  readonly isRetriedByNewVersion: boolean;
  /** Came from reading the pages, not from fetching them: a new version can read the stored pages. */
  readonly isOfExtraction: boolean;
  /** For the author, after `sluice try`. */
  readonly advice: string;
  /** For the operator, when failures of this kind hold a lane. */
  readonly holdAdvice: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SHORT: Backoff = { firstMs: 2 * SECOND, factor: 2, maxMs: 5 * MINUTE };
const LONG: Backoff = { firstMs: 30 * SECOND, factor: 2, maxMs: 15 * MINUTE };

type Defaults = Omit<FailureRow, "letter" | "advice" | "holdAdvice">;

/** The site has a problem or refuses us: wait and try again. */
const passing: Defaults = {
  maxAttempts: 3,
  backoff: SHORT,
  movesProxyTier: false,
  slowsLane: false,
  breakerWeight: 1,
  heals: true,
  freshMs: 10 * MINUTE,
  isOfSite: true,
  isOfScraper: false,
  isRetriedByNewVersion: false,
  isOfExtraction: false,
};
/** Another attempt would end the same way. If it lasts, a person must look. */
const lasting: Defaults = { ...passing, maxAttempts: 1, heals: false, freshMs: DAY, isOfSite: false };
/** Decided on our side: says nothing about the health of the site. */
const ours: Defaults = { ...lasting, breakerWeight: 0 };

/** Why an attempt failed. One row per kind; a new kind compiles only with a complete row. */
const FAILURES = {
  timeout: {
    ...passing,
    slowsLane: true,
    letter: "t",
    advice: "Try again. A slow site needs a higher `limits.requestMs`.",
    holdAdvice: "The site does not respond in time. Check whether it is up; a lower --rate reduces the load.",
  },
  connection: {
    ...passing,
    letter: "c",
    advice: "Check `site`, the network and whether the site is up, then try again.",
    holdAdvice: "The site cannot be reached. Check its address, and that this machine can connect to it.",
  },
  // The lane slows down, so the breaker has nothing to judge.
  "rate-limited": {
    ...passing,
    slowsLane: true,
    breakerWeight: 0,
    freshMs: 5 * MINUTE,
    letter: "r",
    advice: "The site asks for fewer requests: lower `pace.perSecond`. Sluice slows the lane down by itself.",
    holdAdvice: "The site asks for fewer requests. Continue later or with a lower --rate.",
  },
  blocked: {
    ...passing,
    movesProxyTier: true,
    freshMs: HOUR,
    letter: "b",
    advice: "Look at the stored page. Slow down, or send the headers that the site expects.",
    holdAdvice: "The site blocks this machine. Continue later and slower, or from another address.",
  },
  captcha: {
    ...passing,
    maxAttempts: 2,
    movesProxyTier: true,
    heals: false,
    freshMs: HOUR,
    letter: "h",
    advice: "The site shows a captcha. Slow down and try again later.",
    holdAdvice: "The site shows captchas. Continue later and slower, or from another address.",
  },
  maintenance: {
    ...passing,
    maxAttempts: 4,
    backoff: LONG,
    slowsLane: true,
    freshMs: 30 * MINUTE,
    letter: "m",
    advice: "Try again when the site is up.",
    holdAdvice: "The site is under maintenance. Continue later.",
  },
  "server-error": {
    ...passing,
    slowsLane: true,
    letter: "e",
    advice: "Try again. If it persists, compare the request with what a browser sends.",
    holdAdvice: "The site returns server errors. Open one of the pages in a browser; continue later.",
  },
  "structure-changed": {
    ...lasting,
    isOfScraper: true,
    isRetriedByNewVersion: true,
    isOfExtraction: true,
    letter: "x",
    advice: "Correct the selectors; the report above shows what each of them finds.",
    holdAdvice:
      "The pages have changed. Correct the scraper's selectors, then continue with the new version.",
  },
  navigation: {
    ...lasting,
    maxAttempts: 2,
    isOfScraper: true,
    isRetriedByNewVersion: true,
    letter: "n",
    advice:
      "The page lacks a link, form or field that `collect` needs. Compare it with the page in a browser.",
    holdAdvice:
      "A link, form or page that the scraper follows is missing. Correct the scraper, then continue with the new version. If the site answers 404 for records that do not exist, see `accept` and `absent()` in docs/scrapers.md.",
  },
  "invalid-input": {
    ...ours,
    freshMs: 30 * DAY,
    letter: "i",
    advice: "Correct the input.",
    holdAdvice: "The site does not accept the inputs. Check the input file.",
  },
  "forbidden-target": {
    ...ours,
    freshMs: 30 * DAY,
    isOfScraper: true,
    letter: "f",
    advice: "`collect` requests an address that is not allowed. Correct the link.",
    holdAdvice:
      "The scraper requests addresses that are not allowed. Correct it, then continue with the new version.",
  },
  "robots-denied": {
    ...ours,
    letter: "d",
    advice: 'robots.txt forbids it. If you have permission, set `robots: "ignore"` in the scraper.',
    holdAdvice: "The site's robots.txt forbids these pages.",
  },
  "too-large": {
    ...lasting,
    isOfScraper: true,
    letter: "l",
    advice: "If such a page is expected, raise `limits.bodyBytes` or `limits.decodedBytes`.",
    holdAdvice:
      "The responses exceed the scraper's limits. Raise `limits`, then continue with the new version.",
  },
  "bad-content": {
    ...lasting,
    maxAttempts: 2,
    letter: "g",
    advice: "The response is not what the scraper expects. Look at the stored page.",
    holdAdvice: "The responses do not match their content type. Open one of the pages in a browser.",
  },
  "scraper-error": {
    ...lasting,
    isOfScraper: true,
    isRetriedByNewVersion: true,
    isOfExtraction: true,
    letter: "s",
    advice: "Fix the scraper's code, then try again.",
    holdAdvice:
      "The scraper's code fails; the log has the error. Fix it, then continue with the new version.",
  },
  // Says nothing about the site: the page may be fine in a new browser.
  browser: {
    ...ours,
    maxAttempts: 2,
    backoff: SHORT,
    freshMs: 0,
    letter: "o",
    advice: "The browser crashed or hung. Try again; docs/browser.md explains the limits of a page.",
    holdAdvice: "Browsers crash or hang on these pages. The log shows how; docs/browser.md has the limits.",
  },
  // A problem of the provider or of ours, never of the site: it counts against the tier. Costs the item no attempt, as with throttles.
  proxy: {
    ...ours,
    maxAttempts: 3,
    backoff: SHORT,
    freshMs: 0,
    letter: "p",
    advice:
      "The proxy did not forward the request. The detail has the provider's reason; see docs/proxies.md.",
    holdAdvice:
      "No proxy tier of the scraper works. The detail has the provider's reason; see docs/proxies.md.",
  },
  "worker-lost": {
    ...ours,
    freshMs: 0,
    letter: "w",
    advice: "Try again.",
    holdAdvice: "Worker processes die. The log shows how.",
  },
  budget: {
    ...ours,
    freshMs: 0,
    letter: "u",
    advice: "Raise the budget.",
    holdAdvice: "The budget is spent.",
  },
} satisfies Readonly<Record<string, FailureRow>>;

export type FailureKind = keyof typeof FAILURES;
export const FAILURE_KINDS = Object.keys(FAILURES) as FailureKind[];

/** The facts of one kind, except its policy, which a scraper may override. */
export const failureInfo = (kind: FailureKind): Omit<FailureRow, keyof FailurePolicy> => FAILURES[kind];

export function failurePolicy(kind: FailureKind, overrides?: PolicyOverrides): FailurePolicy {
  const row: Omit<FailurePolicy, "retries"> = FAILURES[kind];
  const own = overrides?.[kind];
  const maxAttempts = own?.maxAttempts ?? row.maxAttempts;
  return {
    ...row,
    ...own,
    backoff: { ...row.backoff, ...own?.backoff },
    maxAttempts,
    retries: maxAttempts > 1,
  };
}

/** This machine is out of files, memory or disk space. Says nothing about a site or a scraper. */
const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "ENOSPC", "EDQUOT"]);

/** The worker must release an item that is not at fault: it goes back untouched. */
export class StopError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "StopError";
  }
}

/** The item goes back untouched, and its worker slows down. */
export class OwnTroubleError extends StopError {
  readonly code: string;
  constructor(code: string, detail: string, options?: ErrorOptions) {
    super(`${detail} (${code})`, options);
    this.name = "OwnTroubleError";
    this.code = code;
  }
}

/** These go away by themselves, also in the archive; a full disk does not. */
const PASSING: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** Undefined if the error has another cause. */
export const ownTrouble = (error: unknown): OwnTroubleError | undefined => {
  if (error instanceof OwnTroubleError) return error;
  if (!(error instanceof Error)) return undefined;
  const [code, deeper] = [codeOf(error), codeOf(error.cause)];
  const found = CODES.has(code) ? code : PASSING.has(deeper) ? deeper : undefined;
  return found === undefined
    ? undefined
    : new OwnTroubleError(found, "this machine has run out of a resource", { cause: error });
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
