import type { BlobRange } from "../model/capture.ts";
import type { JobState } from "../model/job.ts";

/** Something that is not as it was written, found by a check. */
export interface Damage {
  /** The kind of thing that is damaged. */
  readonly what:
    | "ledger"
    | "job"
    | "item"
    | "segment"
    | "index"
    | "records"
    | "file"
    | "manifest"
    | "extraction"
    | "journal";
  /** The file or object. */
  readonly where: string;
  /** What does not fit. */
  readonly problem: string;
  /** The object is not there, though something names it. */
  readonly code?: "missing";
  /** What `--repair` does about it; where it is left out, only a backup helps, or what `advice` says. */
  readonly repair?: "counters" | "index" | "manifest";
  readonly advice?: string;
  readonly job?: string;
}

/** A range that an item points to. */
export interface StoredRef extends BlobRange {
  readonly job: string;
  readonly key: string;
  readonly kind: "capture" | "records";
  /** Absent where an older version wrote it. */
  readonly digest?: string;
}

export interface CheckedJob {
  readonly id: string;
  readonly state: JobState;
  readonly endedAt: number | undefined;
}

/** A look at a ledger in one moment, without changing it. What it answers belongs together, whoever writes meanwhile. */
export interface LedgerCheck extends Disposable {
  /** All that is wrong in the ledger itself. */
  problems(): Iterable<Damage>;
  jobs(): Iterable<CheckedJob>;
  /** What items point to. */
  refs(): Iterable<StoredRef>;
  /** Whether the ledger knows of the job, or has removed it. */
  knows(job: string): boolean;
  /** Whether something of the job was removed, or is being. */
  isRemoved(job: string): boolean;
  /** Objects of removed jobs that are kept for others. */
  isKept(job: string, object: string): boolean;
}
