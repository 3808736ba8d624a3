import type {
  AuditEntry,
  AuditQuery,
  Client,
  CreatedClient,
  CreatedKey,
  Key,
  NewClient,
  Role,
  Worker,
} from "../../client.ts";
import type { ExportSettings } from "../../export/export-records.ts";
import type { JobOptions } from "../../pipeline/submit.ts";
import type { InputFormat } from "../../inputs/input-format.ts";
import type { FailureKind } from "../../domain/failure.ts";
import type { ItemState, ItemView } from "../../domain/item.ts";
import type { JobCaps, JobView, LaneState, LaneView } from "../../domain/job.ts";
import type { Removal, RemovalScope } from "../../domain/removal.ts";
import type { LaneControl } from "../../ports/ledger.ts";
import type { ShownItem } from "./shown-item.ts";
import type { DuePart, PruneFilter } from "../../retention/plan-prune.ts";

export type { ShownItem } from "./shown-item.ts";

/** What commands ask, of a data folder on this machine or of a server. */
export interface Verbs extends RemovingVerbs, AsyncDisposable {
  /** What is added to a proposed command so that it means the same place: ` --data DIR`, ` --server URL`, or nothing. */
  readonly flag: string;
  /** The newest first; trials only where they are asked for. */
  listJobs(which?: { readonly withTrials: boolean; readonly scraper?: string }): Promise<readonly JobView[]>;
  /** By its id, a part of it that is unique, or `last`. */
  findJob(named: string): Promise<JobView>;
  /** What came of a job. */
  report(job: JobView): Promise<JobReport>;
  /** Resolves when a stopped job can start no more requests; `isQuiet` false where that took too long. */
  controlJob(job: string, to: "pause" | "cancel"): Promise<Steered>;
  /** No more inputs come: the job ends with those that it has. */
  sealJob(job: string): Promise<{ readonly view: JobView }>;
  /** Lets a job go on, with the capped inputs that fit under higher limits. */
  resumeJob(job: string, how: Resuming): Promise<{ readonly view: JobView }>;
  retryItems(job: string, filter: RetryFilter): Promise<number>;
  items(job: string, filter: ItemFilter): AsyncIterable<readonly ItemRow[]>;
  /** Items with this key: several where scrapers of the job share one. */
  findItems(job: string, key: string): Promise<readonly ShownItem[]>;
  /** Lanes of the job that are being spared. */
  slowLanes(job: string): Promise<readonly LaneView[]>;
  /** To a .csv, .jsonl or .parquet file; JSON lines on standard output without one. */
  writeResults(job: string, output: string | undefined, settings: ExportSettings): Promise<void>;
  submit(submission: Submission): Promise<Submitted>;

  lanes(): AsyncIterable<LaneState>;
  controlLane(lane: string, to: LaneControl): Promise<void>;
  workers(): Promise<readonly Worker[]>;

  listClients(): Promise<readonly Client[]>;
  addClient(client: NewClient): Promise<CreatedClient>;
  /** What is not named stays; null takes a limit away. */
  changeClient(client: string, to: Omit<NewClient, "name">): Promise<Client>;
  listKeys(client: string): Promise<readonly Key[]>;
  makeKey(client: string, role: Role): Promise<CreatedKey>;
  revokeKey(client: string, key: string): Promise<void>;
  /** What operators have changed, the newest first. */
  listAudit(query: AuditQuery, limit: number): Promise<readonly AuditEntry[]>;
}

export interface RemovingVerbs {
  /** From then on nothing of the job, or of its pages, is read. Marked again, it is as it was. */
  markRemoval(job: string, what: RemovalScope): Promise<Removal>;
  /** Marks what is due, or only says what that is. */
  prune(wish: PruneFilter, isDry: boolean): Promise<readonly PrunedPart[]>;
  /** Resolves when the removal of a marked job is complete. */
  finishRemoval(job: string, onProgress: (removal: Removal) => void): Promise<Removal>;
  /** Whatever others have marked, or left in the middle. A server does that by itself. */
  finishOthers(onRemoved: (removal: Removal) => void): Promise<void>;
}

/** `bytes`: what it takes up, where that was asked for. */
export type PrunedPart = DuePart & { readonly bytes?: number };

interface JobReport {
  /** For people. */
  readonly lines: readonly string[];
  /** For programs, beside the job itself. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Steered {
  readonly view: JobView;
  readonly isQuiet: boolean;
}

interface Resuming {
  /** With the scraper as it is now. */
  readonly newVersion: boolean;
  readonly caps?: JobCaps | undefined;
  /** Told how the reading of stored pages goes. */
  readonly say: (line: string) => void;
}

interface RetryFilter {
  readonly kinds?: readonly FailureKind[];
  readonly keys?: readonly string[];
}

interface ItemFilter {
  readonly states?: readonly ItemState[];
  readonly kinds?: readonly FailureKind[];
  readonly scraper?: string;
}

/** An item in a table, and as programs see it. */
export type ItemRow = Pick<
  ItemView,
  "key" | "scraper" | "parent" | "state" | "attempts" | "failure" | "quality" | "change"
> & {
  /** Of a skipped one. */
  readonly skipReason?: string;
  readonly json: unknown;
};

export interface Submission {
  readonly scraper: string;
  /** A path, or `-` for stdin. */
  readonly input: string;
  readonly format?: InputFormat;
  /** Goes on with the inputs of this job instead of starting one. */
  readonly job?: string;
  readonly perSecond?: number;
  readonly extracts: boolean;
  readonly maxItems?: number;
  readonly options: JobOptions;
  /** Told how many inputs have been taken, where that is known. */
  readonly onProgress: (received: number) => void;
  /** Told of the job as soon as there is one. */
  readonly onJob: (job: string) => void;
  /** Told of a break that is being mended. */
  readonly onBreak: (reason: string) => void;
}

export interface Submitted {
  readonly view: JobView;
}
