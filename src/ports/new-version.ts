import type { RecordRange } from "../model/capture.ts";
import type { Failure } from "../model/failure.ts";
import type { ItemRef } from "../model/item.ts";
import type { JobPins } from "../model/job-version.ts";
import type { RejectedInput } from "../model/job.ts";
import type { CallId, PlannedItem } from "./ledger.ts";

/** How a job goes on with scrapers that were changed. */
export interface VersionLedger {
  /**
   * Pins a paused or ended job to other versions and leaves it paused until `amendItems` has ended. Changes nothing while items are in
   * workers' hands, which run them with the versions before; answers how many.
   */
  pinVersions(job: string, pins: JobPins, id?: CallId): Promise<{ readonly inHand: number }>;
  /**
   * What the job's present versions made of stored pages takes the place of what earlier ones did. Of a revision that is not the
   * job's, and of items that were amended or tried since, nothing is changed. `isLast`: the job may be resumed.
   */
  amendItems(job: string, revision: number, items: readonly AmendedItem[], isLast?: boolean): Promise<void>;
}

export interface AmendedItem extends ItemRef {
  readonly outcome:
    | { readonly state: "done" | "skipped"; readonly quality: "complete" | "partial" }
    | { readonly state: "failed"; readonly failure: Failure };
  readonly records: RecordRange | null;
  /** What the item adds to the job's field counts, less what it had added. */
  readonly fieldCounts: readonly number[];
  readonly emitted: readonly PlannedItem[];
  readonly rejected: readonly RejectedInput[];
}
