import type { ItemView } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type OnDamage, refuseDamage } from "./damage.ts";
import { extractedRecords } from "./extracted-records.ts";
import { findSet } from "./job-sets.ts";
import { runRecords } from "./run-records.ts";
import type { StoredExtraction } from "./stored-extraction.ts";

/** An item as a set of records has it: with that set's state, failure and quality. */
export interface ItemRecords {
  readonly item: ItemView;
  /** Its records as they are stored, one JSON text a line; empty where it has none. */
  readonly lines: Buffer;
  /** The object they are in; empty where there is none. */
  readonly blob: string;
  /** What it has cannot be read, and was told to `onDamage`. */
  readonly isDamaged?: true;
}

/** One of a job's sets of records: those of the run itself, or those of an extraction. */
export interface RecordSet extends AsyncDisposable {
  /** `JOB@first` or `JOB@EXTRACTION`. */
  readonly name: string;
  /** Undefined for the records of the run itself. */
  readonly extraction: StoredExtraction | undefined;
  /**
   * Items with their records, a few megabytes at a time. Every item of the job must be asked for once, in the ledger's order: an extraction
   * is walked through, not searched.
   */
  recordsOf(items: readonly ItemView[]): AsyncIterable<readonly ItemRecords[]>;
  /** After the last item: what is left over then belongs to none, so that some item has been shown without its records. */
  checkEnd(): Promise<void>;
}

/** By `first`, `current`, or an extraction's id, a beginning of it or its last part. */
export const openRecordSet = async (
  blobs: Blobs,
  job: string,
  which = "current",
  onDamage: OnDamage = refuseDamage,
): Promise<RecordSet> => {
  const extraction = await findSet(blobs, job, which);
  return extraction ? extractedRecords(blobs, extraction, onDamage) : runRecords(blobs, job, onDamage);
};
