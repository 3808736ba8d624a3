import type { Removal, RemovalScope } from "../model/removal.ts";

/**
 * Removing what a job has brought, so that a crash at any point leaves nothing that points to missing bytes, and nothing behind: a job is
 * marked, and cannot be read from then on; the ledger lets go of it (`advance` until `bytes`); its objects are deleted; then its rows
 * (`advance` until `nothing`). Every step may be repeated, by several processes at a time.
 */
export interface Removals {
  /**
   * Refuses a job that has not ended (`job-running`). Marking again what is marked changes nothing, except that the removal of the pages
   * becomes that of the job.
   */
  mark(job: string, what: RemovalScope): Promise<Removal>;
  /** Undefined for a job of which nothing was removed. */
  read(job: string): Promise<Removal | undefined>;
  /** Removed jobs, the last one first, also those that are being removed. */
  list(query: {
    readonly client?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly Removal[]>;
  /** Those that are not complete, the oldest first. */
  open(limit: number): Promise<readonly Removal[]>;

  /** One batch of the ledger's own part. Answers what comes next. */
  advance(job: string): Promise<"ledger" | "bytes" | "nothing">;
  /** Counts objects of the job as deleted, once each, and answers those that may be: items of other jobs point to the rest. */
  release(job: string, objects: readonly StoredObject[]): Promise<readonly StoredObject[]>;
  /** All objects that may be are deleted. */
  endBytes(job: string, what: RemovalScope): Promise<void>;

  /** Jobs with objects that were kept, and may not be needed any more; or that were still written to when they were removed. */
  due(limit: number): Promise<readonly Sweep[]>;
  /** Kept objects to which no item points any more. */
  freed(job: string): Promise<readonly string[]>;
  /** They are deleted, and counted so. */
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
  /** Changes when it is asked for again: then it is not at its end. */
  readonly asked: number;
}
