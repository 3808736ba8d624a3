import type { Way } from "./auto-mode.ts";
import type { FailureKind, PolicyOverrides } from "./failure.ts";
import type { Budget, SpendingLimits } from "./budget.ts";
import type { TierCosts } from "./cost.ts";
import type { ChangeCounts } from "./freshness.ts";
import { endedCount, type StateCounts } from "./item.ts";
import type { CollectorKind, JobCanary, Pace } from "./job-version.ts";
import type { InputsFrom } from "./inputs-from.ts";
import type { Retention } from "./removal.ts";

/** `loading` accepts inputs and already runs. `paused` waits for a person; a job whose lanes may recover without help keeps running. */
export type JobState = "loading" | "running" | "paused" | "done" | "cancelled";

/** One of a job's scrapers, as it was when the job began. */
export interface PinnedScraper {
  readonly name: string;
  /** Where its code is, for workers to load: a file URL or the name of a built-in. */
  readonly source: string;
  readonly version: string;
  /** How its items are run; default `http`. */
  readonly kind?: CollectorKind;
  /** Some of its items are also run in a browser: see `checkAgainst`. */
  readonly isCompared?: true;
  /** Proxy tiers from cheap to expensive; default: only direct. */
  readonly proxies?: readonly string[];
  readonly pace: Pace;
  /** The scraper's own pace, if the job asks for less: it applies to the lane, and `pace` only to this job's items. */
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
  /** Consecutive steps from the scraper to itself, for example the next pages of a list; inputs beyond them are capped. Default: no limit. */
  readonly maxChain?: number;
}

/**
 * Why inputs are excluded from a job; `budget`: found after the budget was used up; `quota`: found after the client's daily quota
 * was used up.
 */
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
  /** Earlier versions of its scrapers, by their positions in `scrapers`, oldest first: see `job-version.ts`. */
  readonly earlier?: readonly (readonly string[])[];
  /** Its stored pages must be read with the current versions before it continues. */
  readonly isAmending?: boolean;
  /** Other versions of its scrapers, with which some of its items are run. */
  readonly canary?: JobCanary;
  /** The last canary that was rolled back. Its items are extracted again with the current versions. */
  readonly pastCanary?: { readonly revision: number; readonly version: string };
  /** The fields of earlier revisions, by revision, if they differ from the current ones: items in flight are counted by them. */
  readonly earlierFields?: Readonly<Record<string, readonly string[]>>;
  /** False: pages are collected and stored, and inputs emitted, but no records are made. */
  readonly extracts: boolean;
  /** Names of the extracted fields, in the order in which field counts are given: the root's, then `target.field` for the others. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly policy: PolicyOverrides;
  /** Maximum number of items, including emitted ones; further inputs are stored as capped. */
  readonly maxItems: number;
  /** Steps from one scraper to another since an input that was given; inputs found beyond it are kept as capped. */
  readonly maxDepth: number;
  /** Reads only this many inputs; default: all. */
  readonly limit?: number;
  /** Among the jobs of one client in a lane, higher comes first; default 0. Jobs of the same priority take turns. */
  readonly priority?: number;
  /** No item is tried more often than this, whatever its policy says. */
  readonly maxAttempts?: number;
  /** Unfinished items are cancelled at this time. Milliseconds since 1970. */
  readonly deadlineAt?: number;
  /**
   * What the job may spend in total, as attempts are settled. Later items fail with `budget`, or wait while the job is paused. When it is spent,
   * items in flight start no further request, so only requests in progress can exceed it.
   */
  readonly budget?: Budget;
  /** The only proxy tiers that its scrapers may use; default: their own ladders. */
  readonly proxies?: readonly string[];
  readonly freshness?: Freshness;
  /** The client's own names for it, to find it by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Receives its events, in addition to the client's own endpoints. */
  readonly webhook?: string;
  /** Interval of `job.progress` events; default: none. */
  readonly progressMs?: number;
  /** True for a batch of URLs: it has the event `batch.completed` in addition to `job.completed`. */
  readonly isBatch?: boolean;
  /** As the root scraper had it when the job began. */
  readonly retention?: Retention;
  /** A controller loads its inputs from there, then seals it. */
  readonly inputsFrom?: InputsFrom;
  /** The schedule that it is a firing of, and the nominal time. */
  readonly firing?: { readonly schedule: string; readonly at: number };
  /** URLs from clients must not lead into the owner's network; set for jobs from the API. */
  readonly guardsTargets?: boolean;
}

/** When an earlier page is fresh enough, and what happens to unchanged pages. */
export interface Freshness {
  /** The window; default: the response's caching headers, else an hour. 0: always fetch. */
  readonly maxAgeMs?: number;
  /** Only what changed since the last time: unchanged items are `skipped`, with conditional requests where the site knows them. */
  readonly onlyChanged?: boolean;
}

/**
 * `asked`: a person paused it. `lanes-held`: the breaker holds all of its lanes, see `held`. `scraper`: its scrapers have
 * changed. `budget`: its budget is used up; it continues with a higher one. `new-version`: it continues automatically when its
 * stored pages have been read with the changed scrapers.
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
  /** Different inputs that a limit excludes; they are stored, and accepted when the limit is raised. */
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
  /** When a single item is let through to see whether the site has recovered; absent if a person must decide. */
  readonly probeAt?: number;
}

export interface RejectedInput {
  /** Its line in the file or, for an emitted input, its number among those found on the page. From 1. */
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
  /** When its budget was spent: items that had not started by then failed with `budget`. */
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
  /** Only for jobs with scrapers that name proxy tiers: what was learned about these in their lanes. */
  readonly ladders?: readonly (LaneLadder & { readonly lane: string })[];
  /** The first rejected inputs, as examples. */
  readonly rejects: readonly RejectedInput[];
  readonly requests: number;
  readonly bytes: number;
  /** Of these, what went through proxies, by tier. Missing in what versions before proxies have stored. */
  readonly costs?: TierCosts;
  /** Its pages and files were removed; later ones are kept. */
  readonly pagesRemoved?: { readonly at: number; readonly captures: number; readonly bytes: number };
  /** How items changed since the client last got them; only in a job with `freshness`. */
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

/** Items that ended by work: those ended by a cancel or a spent budget say nothing about the speed of a job. */
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
  /** The operator's limit; null if none is set. */
  readonly operatorPerSecond: number | null;
  readonly isHeldByOperator: boolean;
  /** Items of all jobs that are not at their end. */
  readonly backlog: number;
  readonly inFlight: number;
  /** Requests that workers sent lately. */
  readonly usedPerSecond: number;
  /** Jobs for which the breaker holds it. */
  readonly heldJobs: number;
  /** What is known about proxy tiers there; omitted if nothing is. */
  readonly ladders?: readonly LaneLadder[];
  /** What its items have cost, by proxy tier; omitted if none was used. */
  readonly spent?: TierCosts;
}

/** One job's items in a lane. */
export interface JobLane extends Pick<LaneState, "lane" | "holdMs" | "holdReason" | "isHeldByOperator"> {
  /** Its items that are not at their end; of these, how many are in flight, and how many wait for a retry. */
  readonly backlog: number;
  readonly inFlight: number;
  readonly waiting: number;
  /** Why the breaker holds it for this job. */
  readonly held?: Omit<HeldLane, "lane" | "evidence">;
}

export interface LaneView {
  readonly lane: string;
  readonly perSecond: number;
  /** 1 if the lane runs at its full pace; less while it is slowed down. */
  readonly factor: number;
  readonly holdMs: number;
  readonly holdReason?: string;
}

/** Sorts by time, can be read aloud, and does not clash: `20261115-203412-k3f9`. A letter for each of the random bytes. */
export const timedId = (at: number, random: Uint8Array): string => {
  const time = new Date(at).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${time}-${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
};

/** To the second; sorts first if the text is not such an id. */
export const timeOfId = (id: string): number => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  return parts.length === 0
    ? -Infinity
    : Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
};

/** Without letters that are easily confused. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

export const jobId = (at: Date, random: Uint8Array = crypto.getRandomValues(new Uint8Array(4))): string =>
  timedId(at.getTime(), random);

/** The client of the jobs of `sluice try` and `sluice capture`: lists of jobs and `last` omit them. */
export const TRIAL_CLIENT = "try";
