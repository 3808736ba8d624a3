import type { OptionNames } from "./known-options.ts";
import type { Backoff } from "./retry.ts";

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

/** What the storage does about one kind of failure. */
export interface FailurePolicy {
  /** Whether an item that failed so is ever tried again by itself: its cap is more than one. */
  readonly retries: boolean;
  /** Tries in all, the first included. For `worker-lost`: deaths of the item when it ran alone. */
  readonly maxAttempts: number;
  /** How long to wait before the next try: anywhere from nothing up to it, at random. */
  readonly backoff: Backoff;
  /** The next try goes through the next, more costly, proxy tier. */
  readonly movesProxyTier: boolean;
  /** Many of them make the lane slower. */
  readonly slowsLane: boolean;
  /** How much one such failure counts in the breaker, from 0 (says nothing about the site) to 1. */
  readonly breakerWeight: number;
  /** Goes away without a person: a held lane is probed after a cool-down. */
  readonly heals: boolean;
  /** How long the failure answers for the same input in a later job before it is worth another try. */
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

/** A scraper's own words on some rows of the table. */
export type PolicyOverrides = { readonly [kind in FailureKind]?: PolicyOverride };

type Row = Omit<FailurePolicy, "retries">;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const SHORT: Backoff = { firstMs: 2 * SECOND, factor: 2, maxMs: 5 * MINUTE };
const LONG: Backoff = { firstMs: 30 * SECOND, factor: 2, maxMs: 15 * MINUTE };

/** The site was in trouble, or did not want us: worth a wait and another try. */
const passing: Row = {
  maxAttempts: 3,
  backoff: SHORT,
  movesProxyTier: false,
  slowsLane: false,
  breakerWeight: 1,
  heals: true,
  freshMs: 10 * MINUTE,
};
/** Another try would end the same way, and if it goes on a person must look. */
const lasting: Row = { ...passing, maxAttempts: 1, heals: false, freshMs: DAY };
/** Decided on our side: says nothing about the health of the site. */
const ours: Row = { ...lasting, breakerWeight: 0 };

const TABLE: Readonly<Record<FailureKind, Row>> = {
  timeout: { ...passing, slowsLane: true },
  connection: passing,
  // The lane moves, so the breaker has nothing to judge.
  "rate-limited": { ...passing, slowsLane: true, breakerWeight: 0, freshMs: 5 * MINUTE },
  blocked: { ...passing, movesProxyTier: true, freshMs: HOUR },
  captcha: { ...passing, maxAttempts: 2, movesProxyTier: true, heals: false, freshMs: HOUR },
  maintenance: { ...passing, maxAttempts: 4, backoff: LONG, slowsLane: true, freshMs: 30 * MINUTE },
  "server-error": { ...passing, slowsLane: true },
  "structure-changed": lasting,
  navigation: { ...lasting, maxAttempts: 2 },
  "invalid-input": { ...ours, freshMs: 30 * DAY },
  "forbidden-target": { ...ours, freshMs: 30 * DAY },
  "robots-denied": ours,
  "too-large": lasting,
  "bad-content": { ...lasting, maxAttempts: 2 },
  "scraper-error": lasting,
  "worker-lost": { ...ours, freshMs: 0 },
  budget: { ...ours, freshMs: 0 },
};

export function failurePolicy(kind: FailureKind, overrides?: PolicyOverrides): FailurePolicy {
  const row = TABLE[kind];
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

/** What this machine lacks: files, memory, room on its disk. None of it says anything about a site or a scraper. */
const CODES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "ENOSPC", "EDQUOT"]);

/** The worker must let go of an item that is not at fault: it goes back untouched. */
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

/** Pass by themselves, also where the archive meets them; a disk that is full does not. */
const PASSING: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** Undefined where the error is not of this kind. */
export const ownTrouble = (error: unknown): OwnTroubleError | undefined => {
  if (error instanceof OwnTroubleError) return error;
  if (!(error instanceof Error)) return undefined;
  const [code, deeper] = [codeOf(error), codeOf(error.cause)];
  const found = CODES.has(code) ? code : PASSING.has(deeper) ? deeper : undefined;
  return found === undefined
    ? undefined
    : new OwnTroubleError(found, "this machine has run out of something", { cause: error });
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
