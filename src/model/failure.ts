/** Why an attempt failed. The set is closed: a new kind does not compile until every table knows it. */
export const FAILURE_KINDS = [
  "timeout",
  "connection",
  "rate-limited",
  "blocked",
  "captcha",
  "maintenance",
  "server-error",
  "structure-changed",
  "navigation",
  "invalid-input",
  "forbidden-target",
  "robots-denied",
  "too-large",
  "bad-content",
  "scraper-error",
  "worker-lost",
  "budget",
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

export interface Failure {
  readonly kind: FailureKind;
  /** One sentence for a person: what was expected, what came instead. Never holds a secret. */
  readonly detail: string;
  readonly url?: string;
  readonly status?: number;
  /** What the site asked for (`Retry-After`), counted from the answer. */
  readonly retryAfterMs?: number;
}

/** The way a failure travels through scraper code: thrown by collectors, caught where the item is run. */
export class FailureError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(`${failure.kind}: ${failure.detail}`, options);
    this.name = "FailureError";
    this.failure = failure;
  }
}

/** The site's own answer that there is no such thing: an outcome, not a fault. */
export class AbsentError extends Error {
  constructor(reason = "the site says there is no such thing") {
    super(reason);
    this.name = "AbsentError";
  }
}
