import type { BlobRange, CaptureRef, RecordRange } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { Change } from "../domain/freshness.ts";
import type { ItemRef, ItemState, Skipped } from "../domain/item.ts";
import type { JobState, JobView, RejectedInput } from "../domain/job.ts";
import type { PlannedItem, SettledItem } from "./ledger.ts";

/** Something that differs from what was written, found by a check. */
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
  /** What is wrong. */
  readonly problem: string;
  /** The object is missing, though something refers to it. */
  readonly code?: "missing";
  /** What `--repair` does about it; if omitted, only a backup helps, or what `advice` says. */
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

/** A consistent view of a ledger at one moment. It changes nothing, and later writes do not affect it. */
export interface LedgerCheck extends Disposable {
  /** Everything that is wrong in the ledger itself. */
  problems(): Iterable<Damage>;
  jobs(): Iterable<CheckedJob>;
  /** What items refer to. */
  refs(): Iterable<StoredRef>;
  /** Whether the ledger knows the job, or has removed it. */
  knows(job: string): boolean;
  /** Whether data of the job was removed, or is being removed. */
  isRemoved(job: string): boolean;
  /** Objects of removed jobs that are kept for others. */
  isKept(job: string, object: string): boolean;
}

/** A ledger that is rebuilt from the archive. No other process may have it open. */
export interface LedgerRebuild extends AsyncDisposable {
  /** In the order in which the jobs were created. */
  addJob(job: LostJob): Promise<RebuiltJob>;
  /** The ledger is complete: writes everything to its file. */
  finish(): Promise<void>;
}

/** What the archive has about a job. */
export interface LostJob {
  /** The job as the ledger last stored it; later changes follow from its items. */
  readonly view: JobView;
  readonly inputs: AsyncIterable<readonly InputLine[]>;
  readonly settled: AsyncIterable<readonly SettledLine[]>;
  readonly manifest: AsyncIterable<ListedItem>;
  /** When the ledger was read for the manifest. Attempts that ended later are newer than what it says. */
  readonly manifestAt?: number;
  /** Whether an object of the job is there. */
  readonly has: (blob: string) => boolean;
  /** Called from time to time. */
  readonly onProgress: (items: number) => void;
}

/** One line of `inputs/`: an input, or how many of the batch were rejected, with the first of them. */
export type InputLine =
  | PlannedItem
  | { readonly rejected: number; readonly rejects: readonly RejectedInput[] };

/** One line of `settled/`: one attempt at an item. */
export interface SettledLine extends Omit<SettledItem, "lease" | keyof ItemRef> {
  readonly key: string;
  /** Which of the job's scrapers it is for. */
  readonly scraper: number;
  /** Where it was in the ledger: keeps items in their order. */
  readonly place: readonly [queue: number, seq: number];
  /** Of the job. */
  readonly revision: number;
  readonly worker: string;
}

/** One line of a manifest. */
export interface ListedItem {
  readonly key: string;
  readonly scraper?: string;
  readonly parent?: string;
  readonly state: ItemState;
  readonly failure?: Pick<Failure, "kind" | "detail">;
  readonly quality?: "complete" | "partial";
  readonly version?: string;
  readonly skipped?: Pick<Skipped, "reason">;
  readonly change?: Change;
  readonly attempts: number;
  readonly captures: readonly CaptureRef[];
  readonly records: RecordRange | null;
}

export interface RebuiltJob {
  readonly job: string;
  readonly state: JobState;
  readonly items: number;
  /** Items that have ended, with their results. */
  readonly ended: number;
  /** Items that are fetched when the job is resumed. */
  readonly queued: number;
  readonly capped: number;
  /** Items that had ended but lack objects of their records or pages: they are queued. */
  readonly lost: number;
  /** Items at their end whose inputs are in no segment. */
  readonly withoutInput: number;
}
