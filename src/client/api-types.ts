/** What the API takes and gives, as its document at `/openapi.json` has it. Times are ISO 8601. */
import type { Change, Evidence, Item, ItemState } from "./item-types.ts";

export type JobState = "loading" | "running" | "paused" | "done" | "cancelled";
export type FieldStatus = "present" | "empty" | "missing" | "malformed";
export type Role = "admin" | "operator" | "client" | "worker";

export interface PageQuery {
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

export interface Page<Entry> {
  readonly data: readonly Entry[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface Pace {
  /** Requests a second; null for no limit. */
  readonly perSecond: number | null;
  readonly burst: number;
  readonly concurrency: number;
}

export interface Budget {
  readonly requests?: number;
  readonly bytes?: number;
}

export interface Freshness {
  readonly maxAgeMs?: number;
  readonly onlyChanged?: boolean;
}

/** What jobs and batches have in common. */
export interface JobOptions {
  readonly priority?: number;
  readonly pace?: { readonly perSecond?: number; readonly concurrency?: number };
  readonly maxAttempts?: number;
  readonly freshness?: Freshness;
  readonly deadlineAt?: string;
  readonly budget?: Budget;
  readonly webhook?: string;
  readonly progressMs?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface NewJob extends JobOptions {
  readonly scraper: string;
  /** Up to 5,000; more are streamed with `addInputs`. */
  readonly inputs?: readonly Readonly<Record<string, unknown>>[];
  /** No more inputs will come: true where `inputs` are given, unless told. */
  readonly seal?: boolean;
  readonly extracts?: boolean;
  readonly maxItems?: number;
}

/** Limits of a job; they can only be raised. */
export interface JobCaps {
  readonly maxItems?: number;
  readonly maxDepth?: number;
  readonly maxChain?: number;
}

export interface RejectedInput {
  readonly line: number;
  readonly parent?: string;
  readonly problem: string;
}

export interface Job {
  readonly id: string;
  readonly client: string;
  readonly scraper: string;
  readonly version: string;
  readonly scrapers: readonly {
    readonly name: string;
    readonly version: string;
    /** Versions that the job has had before, the oldest first. */
    readonly earlier?: readonly string[];
  }[];
  /** The extraction whose records are current, where they are not the run's own; not in lists. */
  readonly extraction?: string;
  readonly state: JobState;
  readonly isSealed: boolean;
  readonly isBatch: boolean;
  readonly createdAt: string;
  readonly endedAt?: string;
  /** Only while it is paused. */
  readonly paused?: {
    readonly cause: "asked" | "lanes-held" | "scraper" | "new-version";
    readonly reason: string;
    readonly at: string;
  };
  readonly options: Omit<JobOptions, "pace" | "labels"> & {
    readonly priority: number;
    readonly pace: Pace;
    readonly maxItems?: number;
    /** Only in a job whose scrapers emit. */
    readonly maxDepth?: number;
    /** Only in a job with a scraper that emits to itself; the highest of its scrapers. */
    readonly maxChain?: number;
    readonly extracts: boolean;
  };
  readonly labels: Readonly<Record<string, string>>;
  /** received = accepted + folded + rejected + capped, and accepted = the sum of the states. */
  readonly counts: {
    readonly received: number;
    readonly accepted: number;
    readonly folded: number;
    readonly rejected: number;
    readonly capped: number;
    readonly partial: number;
    readonly states: Readonly<Record<ItemState, number>>;
  };
  /** The capped inputs by the limit that keeps them out. */
  readonly cappedBy: Readonly<Record<"items" | "depth" | "chain" | "budget" | "quota", number>>;
  readonly progress: {
    readonly ended: number;
    /** 0 to 1. */
    readonly share: number;
    readonly perSecond: number | null;
    readonly etaAt: string | null;
  };
  readonly failures: readonly {
    readonly kind: string;
    readonly count: number;
    readonly exampleKey: string;
    readonly exampleDetail: string;
  }[];
  readonly attemptFailures: Readonly<Record<string, number>>;
  readonly fields: Readonly<
    Record<string, Readonly<Record<FieldStatus, number>> & { readonly isOptional: boolean }>
  >;
  readonly held: readonly {
    readonly lane: string;
    readonly reason: string;
    readonly evidence: Evidence;
    readonly heldAt: string;
    readonly probeAt?: string;
  }[];
  readonly rejects: readonly RejectedInput[];
  readonly cost: { readonly requests: number; readonly bytes: number };
  /** When its budget was spent: what had not begun by then has failed with `budget`. */
  readonly budgetSpentAt?: string;
  /** Only in a job with `freshness`. */
  readonly changes?: Readonly<Record<Change, number>>;
  /** Its pages and files were removed then; its records are kept. */
  readonly pagesRemoved?: { readonly at: string; readonly captures: number; readonly bytes: number };
}

export interface JobQuery {
  readonly state?: readonly JobState[];
  readonly scraper?: string;
  /** As `name=value`. */
  readonly label?: string;
  /** Of another client: for operators. */
  readonly client?: string;
}

export type InputStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

export interface AddInputs {
  /** An object a line, unless told. */
  readonly format?: "ndjson" | "csv";
  readonly isGzip?: boolean;
  /** How many inputs of the upload come before the first of this body. */
  readonly offset?: number;
  /** No more will come. */
  readonly seal?: boolean;
  readonly signal?: AbortSignal;
}

export interface Upload {
  /** Inputs taken so far. */
  readonly offset: number;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  readonly capped: number;
}

export interface Stopping {
  /** How long to wait until no request of the job can start any more. */
  readonly waitMs?: number;
}

export interface Stopped {
  readonly job: Job;
  readonly isQuiet: boolean;
}

export interface Retry {
  readonly kinds?: readonly string[];
  readonly keys?: readonly string[];
  /** Ids of items. */
  readonly items?: readonly string[];
}

export interface ResultsQuery {
  readonly format?: "jsonl" | "csv" | "parquet";
  readonly scraper?: string;
  readonly extraction?: string;
  readonly gaps?: "keep" | "drop";
  /** Only items that are so since the client last had them; for jobs with `freshness`. */
  readonly changes?: readonly Change[];
}

export interface NewBatch extends JobOptions {
  readonly urls: readonly string[];
}

export interface Batch extends Pick<Job, "id" | "client" | "state" | "createdAt" | "progress"> {
  readonly endedAt?: string;
  readonly accepted: number;
  readonly folded: number;
  readonly rejected: number;
  readonly states: Readonly<Record<ItemState, number>>;
}

export interface BatchResult extends Pick<
  Item,
  "id" | "key" | "state" | "reason" | "attempts" | "endedAt" | "failure" | "captures"
> {
  readonly url: string;
}

export interface CreatedBatch {
  readonly batch: Batch;
  readonly rejected: readonly { readonly index: number; readonly problem: string }[];
}

export interface ScraperEntry {
  readonly name: string;
  readonly site?: string;
  readonly version?: string;
  /** Why it cannot be loaded. */
  readonly problem?: string;
}

export interface Scraper {
  readonly name: string;
  readonly site?: string;
  readonly lane?: string;
  readonly version: string;
  readonly pace: Pace;
  /** What an input must look like, as JSON Schema. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly fields: readonly { readonly name: string; readonly isRequired: boolean }[];
  readonly emitsTo: readonly string[];
  readonly fixtures?: {
    readonly cases: number;
    readonly passed: number;
    readonly failed: readonly string[];
    readonly problem?: string;
  };
}

export interface Lane {
  readonly lane: string;
  readonly perSecond: number | null;
  readonly factor: number;
  readonly operatorPerSecond: number | null;
  readonly isHeld: boolean;
  readonly heldUntil?: string;
  readonly holdReason?: string;
  readonly backlog: number;
  readonly inFlight: number;
}

export interface LaneControl {
  /** Null takes it back. */
  readonly perSecond?: number | null;
  /** False also ends a hold that a site's `Retry-After` has set. */
  readonly isHeld?: boolean;
  /** Forgets its learned speed, `Crawl-delay`, holds and bookings. */
  readonly reset?: true;
}

export interface Worker {
  readonly name: string;
  readonly host?: string;
  readonly pid?: number;
  readonly version?: string;
  readonly concurrency?: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly string[];
  readonly isDraining?: boolean;
  readonly isAlone: boolean;
  readonly items: number;
  readonly leaseMs: number;
}
