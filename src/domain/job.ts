import type { Way } from "./auto-mode.ts";
import type { FailureKind, PolicyOverrides } from "./failure.ts";
import type { Budget, SpendingLimits } from "./budget.ts";
import type { TierCosts } from "./cost.ts";
import type { ChangeCounts } from "./freshness.ts";
import { endedCount, type StateCounts } from "./item.ts";
import type { CollectorKind, JobCanary, Pace } from "./job-version.ts";
import type { Retention } from "./removal.ts";

/** `loading` takes inputs and already runs. `paused` waits for a person; a job whose lanes may heal by themselves runs on. */
export type JobState = "loading" | "running" | "paused" | "done" | "cancelled";

/** One of a job's scrapers, as it was when the job began. */
export interface PinnedScraper {
  readonly name: string;
  /** Where its code is, for workers to load: a file URL or the name of a built-in. */
  readonly source: string;
  readonly version: string;
  /** How its items are run; `http` when left out. */
  readonly kind?: CollectorKind;
  /** Some of its items are also run in a browser: see `checkAgainst`. */
  readonly isCompared?: true;
  /** Proxy tiers from cheap to expensive; only directly when left out. */
  readonly proxies?: readonly string[];
  readonly pace: Pace;
  /** The scraper's own pace, where the job has asked for less: it is the lane's, and `pace` holds for this job's items alone. */
  readonly sitePace?: Pace;
  /** Rows of the failure policy that this scraper has changed. */
  readonly policy: PolicyOverrides;
  /** Whether it makes records at all; one that only leads to others does not. */
  readonly extracts: boolean;
  /** Names of its fields as its records have them. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Those of the fields that are dates; jobs of older versions do not say. */
  readonly dates?: readonly string[];
  /** Steps in a row from its items to items of its own, the next pages of a list; what comes after them is capped. No limit when left out. */
  readonly maxChain?: number;
}

/** What keeps inputs out of a job; `budget`: found after the budget was spent; `quota`: found when the client's items of the day were spent. */
export const CAPS = ["items", "depth", "chain", "budget", "quota"] as const;
export type Cap = (typeof CAPS)[number];

/** Limits of a job that can be raised later. */
export interface JobCaps {
  readonly maxItems?: number;
  readonly maxDepth?: number;
  /** For all of its scrapers. */
  readonly maxChain?: number;
  readonly budget?: SpendingLimits;
}

export interface JobSpec {
  readonly id: string;
  readonly client: string;
  /** The root's name; it, its source, version, pace and policy are also the first of `scrapers`. */
  readonly scraper: string;
  readonly source: string;
  readonly version: string;
  readonly pace: Pace;
  /** The root, then those that it emits to, directly or not; an item names its own by the place here. */
  readonly scrapers: readonly PinnedScraper[];
  /** Versions of its scrapers before the present ones, by their places in `scrapers`, the oldest first: see `job-version.ts`. */
  readonly earlier?: readonly (readonly string[])[];
  /** Its stored pages are to be read with the present versions before it goes on. */
  readonly isAmending?: boolean;
  /** Other versions of its scrapers, with which some of its items are run. */
  readonly canary?: JobCanary;
  /** The last canary that was taken back. Its items are read again with the present versions. */
  readonly pastCanary?: { readonly revision: number; readonly version: string };
  /** The fields of earlier revisions, by revision, where they were not the present ones: items in flight are counted by them. */
  readonly earlierFields?: Readonly<Record<string, readonly string[]>>;
  /** False: pages are collected and kept, and inputs emitted, but no records are made of them. */
  readonly extracts: boolean;
  /** Names of the extracted fields, in the order in which field counts are given: the root's, then `target.field` for the others. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly policy: PolicyOverrides;
  /** Items in all, emitted ones included; inputs beyond it are kept as capped. */
  readonly maxItems: number;
  /** Steps from one scraper to another since an input that was given; inputs found beyond it are kept as capped. */
  readonly maxDepth: number;
  /** Only so many inputs are read; all of them when left out. */
  readonly limit?: number;
  /** Among the jobs of one client in a lane, higher comes first; 0 when left out. Jobs of the same priority take turns. */
  readonly priority?: number;
  /** No item is tried more often than this, whatever its policy says. */
  readonly maxAttempts?: number;
  /** When it is over, what has not ended is cancelled. Milliseconds since 1970. */
  readonly deadlineAt?: number;
  /**
   * What the job may spend in all, as attempts are settled; what comes after that fails with `budget`, or waits while the job is paused. Items in hand when it is spent start no
   * further request: what those already under way cost is all that can go beyond it.
   */
  readonly budget?: Budget;
  /** The only proxy tiers that its scrapers may use; their own ladders hold when left out. */
  readonly proxies?: readonly string[];
  readonly freshness?: Freshness;
  /** The client's own names for it, to find it by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Told of its events beside the client's own endpoints. */
  readonly webhook?: string;
  /** Hears `job.progress` so often; never when left out. */
  readonly progressMs?: number;
  /** True for a batch of URLs: `batch.completed` is told beside `job.completed`. */
  readonly isBatch?: boolean;
  /** As the root scraper had it when the job began. */
  readonly retention?: Retention;
  /** What clients supply may not lead into the storage's own network; set for jobs that came over the API. */
  readonly guardsTargets?: boolean;
}

/** When a page that was fetched before is good enough, and what is made of one that has not changed. */
export interface Freshness {
  /** The window; by the response's caching headers, else an hour, when left out. 0: always fetch. */
  readonly maxAgeMs?: number;
  /** Only what changed since the last time: unchanged items are `skipped`, with conditional requests where the site knows them. */
  readonly onlyChanged?: boolean;
}

/**
 * `asked`: somebody wanted it. `lanes-held`: the breaker holds all of its lanes, see `held`. `scraper`: its scrapers are not what they were.
 * `budget`: what it may spend is spent; it goes on with a higher budget. `new-version`: it goes on by itself when its stored pages have been read with the changed scrapers.
 */
export const PAUSE_CAUSES = ["asked", "lanes-held", "scraper", "new-version", "budget"] as const;

export interface PauseReason {
  readonly cause: (typeof PAUSE_CAUSES)[number];
  /** For a person. */
  readonly reason: string;
}

export interface Pause extends PauseReason {
  readonly at: number;
}

/** received = accepted + folded + rejected + capped, and accepted = the sum of the states, at any moment. */
export interface JobCounts {
  readonly received: number;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  /** Different inputs that a limit keeps out; kept, so that raising the limit lets them in. */
  readonly capped: number;
  readonly states: StateCounts;
}

export interface FailureTally {
  readonly kind: FailureKind;
  readonly count: number;
  readonly exampleKey: string;
  readonly exampleDetail: string;
}

/** How items of an `auto` scraper are run, as learned from the pages of a lane. */
export interface LearnedWay {
  readonly lane: string;
  readonly scraper: string;
  /** The path of the pages that it is about; "" for all. */
  readonly template: string;
  readonly way: Way;
  readonly reason: string;
}

export interface HeldLane {
  readonly lane: string;
  readonly reason: string;
  readonly evidence: unknown;
  readonly heldAt: number;
  /** When a single item is let through to see whether the site has healed; absent when a person must decide. */
  readonly probeAt?: number;
}

export interface RejectedInput {
  /** Where it stood in the file; of an emitted one, which of those found on the page it was. From 1. */
  readonly line: number;
  /** Of an emitted one: the key of the item that found it. */
  readonly parent?: string;
  readonly problem: string;
}

export interface JobView {
  readonly spec: JobSpec;
  readonly state: JobState;
  readonly isSealed: boolean;
  readonly createdAt: number;
  readonly endedAt?: number;
  /** Only while it is paused. */
  readonly paused?: Pause;
  /** When items that had ended were last put back, or given another result. */
  readonly reopenedAt?: number;
  /** When its budget was spent: what had not begun by then has failed with `budget`. */
  readonly budgetSpentAt?: number;
  readonly counts: JobCounts;
  /** The capped inputs by the limit that keeps them out. */
  readonly cappedBy: Readonly<Record<Cap, number>>;
  readonly partial: number;
  /** Final failures only. */
  readonly failures: readonly FailureTally[];
  /** Failed attempts by kind, retried ones included. */
  readonly attemptFailures: Readonly<Partial<Record<FailureKind, number>>>;
  /** Four numbers a field (see FIELD_STATUSES), in the order of `spec.fields`. */
  readonly fieldCounts: readonly number[];
  readonly held: readonly HeldLane[];
  /** Only for jobs with scrapers of kind `auto`. */
  readonly ways?: readonly LearnedWay[];
  /** Only for jobs with scrapers that name proxy tiers: what their lanes have learned of them. */
  readonly ladders?: readonly (LaneLadder & { readonly lane: string })[];
  /** The first rejected inputs, as examples. */
  readonly rejects: readonly RejectedInput[];
  readonly requests: number;
  readonly bytes: number;
  /** Of these, what went through proxies, by tier. Missing in what versions before proxies have stored. */
  readonly costs?: TierCosts;
  /** Its pages and files were removed; what came after that is kept. */
  readonly pagesRemoved?: { readonly at: number; readonly captures: number; readonly bytes: number };
  /** What became of items since the client last had them; only in a job with `freshness`. */
  readonly changes?: ChangeCounts;
}

/** Sums over jobs of one state. */
export interface JobSums extends Pick<
  JobView,
  "state" | "counts" | "attemptFailures" | "fieldCounts" | "partial" | "requests" | "bytes"
> {
  readonly jobs: number;
  readonly failures: readonly Pick<FailureTally, "kind" | "count">[];
  /** How many of their queues the breaker holds. */
  readonly held: number;
}

/** Items that came to their end by work: those that a cancel or a spent budget ended all at once say nothing about how fast a job is. */
export const workedCount = ({ counts: { states }, failures }: Pick<JobView, "counts" | "failures">): number =>
  endedCount(states) - states.cancelled - (failures.find(({ kind }) => kind === "budget")?.count ?? 0);

/** Which proxy tier the items of a lane go through, and why. */
export interface LaneLadder {
  /** From cheap to expensive. */
  readonly ladder: readonly string[];
  /** Where its items go now. */
  readonly tier: string;
  /** Absent on the tier where it began. */
  readonly why?: string;
  readonly sinceAt?: number;
  /** Tiers whose proxies do not work now. */
  readonly outages: readonly { readonly tier: string; readonly why: string; readonly untilAt: number }[];
  /** Why no tier is left: the lane waits for the first that may work again. */
  readonly held?: string;
}

/** A lane as an operator sees it. */
export interface LaneState extends LaneView {
  /** What the operator allows; null where nothing was said. */
  readonly operatorPerSecond: number | null;
  readonly isHeldByOperator: boolean;
  /** Items of all jobs that are not at their end. */
  readonly backlog: number;
  readonly inFlight: number;
  /** What is known of proxy tiers there; left out where nothing is. */
  readonly ladders?: readonly LaneLadder[];
  /** What its items have cost, by proxy tier; left out where none was used. */
  readonly spent?: TierCosts;
}

export interface LaneView {
  readonly lane: string;
  readonly perSecond: number;
  /** 1 when the lane runs at its full pace; less while the site is being spared. */
  readonly factor: number;
  readonly holdMs: number;
  readonly holdReason?: string;
}

/** Sorts by time, can be read aloud, and does not clash: `20261115-203412-k3f9`. A letter for each of the random bytes. */
export const timedId = (at: number, random: Uint8Array): string => {
  const time = new Date(at).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${time}-${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
};

/** To the second; before all others where the text is no such id. */
export const timeOfId = (id: string): number => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  return parts.length === 0
    ? -Infinity
    : Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
};

/** Without those that are easily taken for another. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

export const jobId = (at: Date, random: Uint8Array = crypto.getRandomValues(new Uint8Array(4))): string =>
  timedId(at.getTime(), random);

/** Whose jobs those of `sluice try` and `sluice capture` are: lists of jobs, and what asks for the newest one, leave them out. */
export const TRIAL_CLIENT = "try";
