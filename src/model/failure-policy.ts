import type { Backoff } from "./backoff.ts";
import type { FailureKind } from "./failure.ts";
import type { OptionNames } from "./known-options.ts";

/** What the house does about one kind of failure. */
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

export type PolicyOverride = Partial<Omit<FailurePolicy, "retries" | "backoff">> & {
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
