import type { CaptureRef, RecordRange } from "../model/capture.ts";
import type { Failure } from "../model/failure.ts";
import type { Change } from "../model/freshness.ts";
import type { ItemRef, ItemState, Skipped } from "../model/item.ts";
import type { JobState, JobView, RejectedInput } from "../model/job.ts";
import type { PlannedItem, SettledItem } from "./ledger.ts";

/** A ledger that is made again from what the archive has of its jobs. Nobody else may have it open. */
export interface LedgerRebuild extends AsyncDisposable {
  /** In the order in which the jobs were created. */
  addJob(job: LostJob): Promise<RebuiltJob>;
  /** The ledger is whole: writes everything to its file. */
  finish(): Promise<void>;
}

/** What the archive has of a job. */
export interface LostJob {
  /** The job as the ledger last told it: what has changed since, its items tell. */
  readonly view: JobView;
  readonly inputs: AsyncIterable<readonly InputLine[]>;
  readonly settled: AsyncIterable<readonly SettledLine[]>;
  readonly manifest: AsyncIterable<ListedItem>;
  /** When the ledger was read for the manifest. Attempts that ended later are newer than what it says. */
  readonly manifestAt?: number;
  /** Whether an object of the job is there. */
  readonly has: (blob: string) => boolean;
  /** Called now and then. */
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
  /** Items that are at their end, with what they brought. */
  readonly ended: number;
  /** Items that are fetched when the job is resumed. */
  readonly queued: number;
  readonly capped: number;
  /** Items that had ended, of whose records or pages objects are missing: they are queued. */
  readonly lost: number;
  /** Items at their end whose inputs are in no segment. */
  readonly withoutInput: number;
}
