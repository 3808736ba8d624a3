import type { RecordRange } from "../domain/capture.ts";
import type { Failure, FailureKind } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import type { JobPins, VersionChange } from "../domain/job-version.ts";
import type { RejectedInput } from "../domain/job.ts";
import type { Removal, RemovalScope } from "../domain/removal.ts";
import type { CallId, PlannedItem } from "./ledger.ts";

/**
 * Removes the data of a job, so that a crash at any point leaves no reference to missing bytes, and no orphans: a job is marked,
 * and cannot be read after that; the ledger releases its objects (`advance` until `bytes`); its objects are deleted; then its
 * rows (`advance` until `nothing`). Every step may be repeated, even by several processes at a time.
 */
export interface Removals {
  /**
   * Refuses a job that has not ended (`job-running`). Marking again what is marked changes nothing, except that the removal of the pages
   * becomes that of the job.
   */
  mark(job: string, what: RemovalScope): Promise<Removal>;
  /** Undefined for a job of which nothing was removed. */
  read(job: string): Promise<Removal | undefined>;
  /** Removed jobs, newest first, including those being removed. */
  list(query: {
    readonly client?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly Removal[]>;
  /** Those that are not complete, the oldest first. */
  open(limit: number): Promise<readonly Removal[]>;

  /** One batch of the ledger's own part. Returns what comes next. */
  advance(job: string): Promise<"ledger" | "bytes" | "nothing">;
  /** Counts objects of the job as deleted, once each, and returns those that may be deleted: items of other jobs use the rest. */
  release(job: string, objects: readonly StoredObject[]): Promise<readonly StoredObject[]>;
  /** All objects that may be are deleted. */
  endBytes(job: string, what: RemovalScope): Promise<void>;

  /** Jobs with objects that were kept and may no longer be needed, or that were still written to when they were removed. */
  due(limit: number): Promise<readonly Sweep[]>;
  /** Kept objects to which no item points any more. */
  freed(job: string): Promise<readonly string[]>;
  /** They are deleted, and counted as deleted. */
  forget(job: string, objects: readonly string[]): Promise<void>;
  endSweep(sweep: Sweep): Promise<void>;
}

export interface StoredObject {
  readonly name: string;
  readonly size: number;
}

export interface Sweep {
  readonly job: string;
  readonly what: RemovalScope;
  /** Changes when the removal is requested again: then it is not complete. */
  readonly asked: number;
}

/** How a job continues with changed scrapers. */
export interface VersionLedger {
  /**
   * Pins a paused or ended job to other versions and leaves it paused until `amendItems` has ended. Changes nothing while workers
   * have items, which they run with the previous versions; returns their number.
   */
  pinVersions(job: string, pins: JobPins, id?: CallId): Promise<{ readonly inFlight: number }>;
  /**
   * Changes the versions of a running job, with the next claim: items in flight end with the versions they were claimed with.
   * False if there was nothing to change. After a rollback, `amendItems` replaces the results of the canary.
   */
  changeVersions(job: string, change: VersionChange, id?: CallId): Promise<boolean>;
  /**
   * Replaces the results of earlier versions with what the job's current versions read from stored pages. Changes nothing for
   * another revision, or for items that were amended or tried since. `isLast`: the job may be resumed.
   */
  amendItems(job: string, revision: number, items: readonly AmendedItem[], isLast?: boolean): Promise<void>;
}

export interface AmendedItem extends ItemRef {
  readonly outcome:
    | { readonly state: "done" | "skipped"; readonly quality: "complete" | "partial" }
    | { readonly state: "failed"; readonly failure: Failure };
  readonly records: RecordRange | null;
  /** What the item adds to the job's field counts, minus what it had added before. */
  readonly fieldCounts: readonly number[];
  readonly emitted: readonly PlannedItem[];
  readonly rejected: readonly RejectedInput[];
}

export interface RetryFilter {
  readonly kinds?: readonly FailureKind[];
  readonly keys?: readonly string[];
  /** Also those of the keys that are absent. */
  readonly isAbsentToo?: boolean;
}
