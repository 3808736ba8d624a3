import type {
  Activated,
  Activation,
  AuditEntry,
  AuditQuery,
  Client,
  CreatedClient,
  CreatedKey,
  Deployment,
  EndCanary,
  Gate,
  InputSetCalls,
  Key,
  Moved,
  NewClient,
  Role,
  Scale,
  ScheduleCalls,
  StartCanary,
  Version,
  Versions,
  Worker,
} from "../../client.ts";
import type { StoredResponse } from "../../devtools/viewable-page.ts";
import type { Failure, FailureKind } from "../../domain/failure.ts";
import type { InputsFrom } from "../../domain/inputs-from.ts";
import type { ItemState, ItemView } from "../../domain/item.ts";
import type { JobCaps, JobView, LaneState, LaneView } from "../../domain/job.ts";
import type { JudgedRecord } from "../../domain/record.ts";
import type { Removal, RemovalScope } from "../../domain/removal.ts";
import type { ExportSettings } from "../../export/export-records.ts";
import type { InputFormat } from "../../inputs/input-format.ts";
import type { JobOptions } from "../../pipeline/submit.ts";
import type { LaneControl } from "../../ports/ledger.ts";
import type { Applied, Declared } from "../../services/apply-config.ts";
import type { DuePart, PruneFilter } from "../../retention/plan-prune.ts";

/** What commands can do, with a data folder on this machine (`local-verbs.ts`) or a server (`remote-verbs.ts`). */
export interface Verbs extends RemovingVerbs, AsyncDisposable {
  /** Added to a suggested command so that it uses the same place: ` --data DIR`, ` --server URL`, or nothing. */
  readonly flag: string;
  /** Newest first; trials only on request. */
  listJobs(which?: { readonly withTrials: boolean; readonly scraper?: string }): Promise<readonly JobView[]>;
  /** By its id, a unique part of it, or `last`. */
  findJob(named: string): Promise<JobView>;
  /** The results of a job so far. */
  report(job: JobView): Promise<JobReport>;
  /** Resolves when no further request of the job can start; `isQuiet` is false if that takes too long. */
  controlJob(job: string, to: "pause" | "cancel"): Promise<Stopped>;
  /** The job takes no more inputs, and ends with those it has. */
  sealJob(job: string): Promise<{ readonly view: JobView }>;
  /** Resumes a job; higher limits accept capped inputs. */
  resumeJob(job: string, how: Resuming): Promise<{ readonly view: JobView }>;
  retryItems(job: string, filter: RetryFilter): Promise<number>;
  items(job: string, filter: ItemFilter): AsyncIterable<readonly ItemRow[]>;
  /** Items with this key; several if scrapers of the job share it. */
  findItems(job: string, key: string): Promise<readonly ShownItem[]>;
  /** Lanes of the job that are slowed down or held. */
  slowLanes(job: string): Promise<readonly LaneView[]>;
  /** To a .csv, .jsonl or .parquet file; without one, JSON lines on standard output. */
  writeResults(job: string, output: string | undefined, settings: ExportSettings): Promise<void>;
  submit(submission: Submission): Promise<Submitted>;

  /** Stores a bundle of a scraper. */
  deploy(name: string, bundle: Uint8Array<ArrayBuffer>, commit?: string): Promise<Deployment>;

  listVersions(scraper: string): Promise<Versions>;
  /** Without a version, the one deployed last; so do the others. */
  showVersion(scraper: string, version: string | undefined): Promise<Version>;
  gateVersion(scraper: string, version: string | undefined): Promise<Gate>;
  activateVersion(scraper: string, version: string | undefined, how: Activation): Promise<Activated>;
  rollBackVersion(scraper: string, how: Pick<Activation, "move">): Promise<Moved>;
  startCanary(scraper: string, version: string | undefined, how: StartCanary): Promise<Moved>;
  endCanary(scraper: string, how: EndCanary): Promise<Version>;

  /** Makes what a configuration declares effective, or only says what that would change. */
  apply(declared: Declared, isDry: boolean): Promise<readonly Applied[]>;

  lanes(): AsyncIterable<LaneState>;
  controlLane(lane: string, to: LaneControl): Promise<void>;
  workers(): Promise<readonly Worker[]>;
  /** How many workers would be useful now. */
  scale(): Promise<Scale>;

  listClients(): Promise<readonly Client[]>;
  addClient(client: NewClient): Promise<CreatedClient>;
  /** Null removes a limit; limits that are not named stay. */
  changeClient(client: string, to: Omit<NewClient, "name">): Promise<Client>;
  listKeys(client: string): Promise<readonly Key[]>;
  makeKey(client: string, role: Role): Promise<CreatedKey>;
  revokeKey(client: string, key: string): Promise<void>;
  readonly schedules: ScheduleCalls;
  readonly inputSets: InputSetCalls;
  /** The audit log, newest first. */
  listAudit(query: AuditQuery, limit: number): Promise<readonly AuditEntry[]>;
}

export interface RemovingVerbs {
  /** From now on, nothing of the job or of its pages can be read. Marking it again changes nothing. */
  markRemoval(job: string, what: RemovalScope): Promise<Removal>;
  /** Marks what is due, or only lists it. */
  prune(wish: PruneFilter, isDry: boolean): Promise<readonly PrunedPart[]>;
  /** Resolves when the removal of a marked job is complete. */
  finishRemoval(job: string, onProgress: (removal: Removal) => void): Promise<Removal>;
  /** Completes removals that others have marked or left unfinished. A server does that by itself. */
  finishOthers(onRemoved: (removal: Removal) => void): Promise<void>;
}

/** `bytes`: what it takes up, where that was asked for. */
export type PrunedPart = DuePart & { readonly bytes?: number };

interface JobReport {
  /** For people. */
  readonly lines: readonly string[];
  /** For programs, in addition to the job. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Stopped {
  readonly view: JobView;
  readonly isQuiet: boolean;
}

interface Resuming {
  /** With the current version of the scraper. */
  readonly newVersion: boolean;
  readonly caps?: JobCaps | undefined;
  /** Called with progress while stored pages are read. */
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

/** An item in a table; `json` is for programs. */
export type ItemRow = Pick<
  ItemView,
  "key" | "scraper" | "parent" | "state" | "attempts" | "failure" | "quality" | "change"
> & {
  /** Why it was skipped. */
  readonly skipReason?: string;
  readonly json: unknown;
};

export interface Submission {
  readonly scraper: string;
  /** A path, or `-` for stdin. */
  readonly input: string;
  /** In place of `input`. A server loads it by itself. */
  readonly inputsFrom?: InputsFrom;
  readonly format?: InputFormat;
  /** Continues the upload to this job instead of creating one. */
  readonly job?: string;
  readonly perSecond?: number;
  readonly extracts: boolean;
  readonly maxItems?: number;
  readonly options: JobOptions;
  /** Called with the number of inputs taken. */
  readonly onProgress: (received: number) => void;
  /** Called as soon as the job exists. */
  readonly onJob: (job: string) => void;
  /** Called when the upload breaks and is continued. */
  readonly onBreak: (reason: string) => void;
}

export interface Submitted {
  readonly view: JobView;
}

/** Everything about one item, and how to read its captures. */
export interface ShownItem {
  readonly key: string;
  readonly scraper: string;
  readonly lane: string;
  readonly parent?: string;
  readonly input: unknown;
  readonly state: ItemState;
  readonly quality?: "complete" | "partial";
  readonly change?: string;
  readonly failure?: Omit<Failure, "kind"> & { readonly kind: string };
  /** Why it was skipped. */
  readonly skipReason?: string;
  /** The job whose captures and records it was answered with; a server does not show it. */
  readonly source?: string;
  /** Time of the next attempt, or of its end. */
  readonly dueAt?: number;
  readonly endedAt?: number;
  /** Attempts that count towards the limit; throttled ones do not. */
  readonly attemptCount: number;
  readonly attempts: readonly ShownAttempt[];
  readonly captures: readonly ShownCapture[];
  /** `first`, or the current extraction. */
  readonly extraction: string;
  readonly records: readonly (JudgedRecord & { readonly from?: string })[];
  /** The stored response of a capture. */
  readonly read: (number: number) => Promise<StoredResponse>;
}

interface ShownAttempt {
  readonly at: number;
  readonly ms: number;
  /** A server does not show it. */
  readonly worker?: string;
  readonly requests?: number;
  readonly bytes?: number;
  /** The proxy tiers that it went through. */
  readonly proxied?: readonly { readonly tier: string }[];
  /** How it ended. */
  readonly end: string;
  readonly detail?: string;
}

export interface ShownCapture {
  readonly number: number;
  readonly name: string;
  readonly url: string;
  readonly mediaType: string;
  readonly digest: string;
  readonly storedBytes: number;
  /** False for a page that is packed with others. */
  readonly isFile: boolean;
  /** Undefined if it can no longer be read. */
  readonly status?: number;
  readonly problem?: string;
  /** Its place in the archive and on this machine; a server does not show it. */
  readonly blob?: string;
  readonly path?: string;
  readonly offset?: number;
}

/** Every failed attempt is stored, but only the last of the others. */
export const attemptsOf = (
  state: ItemState,
  history: readonly (Omit<ShownAttempt, "end" | "detail"> & {
    readonly failure: Omit<Failure, "kind"> & { readonly kind: string };
  })[],
  last: Omit<ShownAttempt, "end"> | undefined,
): ShownAttempt[] => [
  ...history.map(({ failure, ...attempt }) => ({ ...attempt, end: failure.kind, detail: failure.detail })),
  ...(last && !history.some(({ at }) => at === last.at) ? [{ ...last, end: state }] : []),
];
