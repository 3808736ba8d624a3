import type { ItemView } from "../model/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { extractedRecords } from "./extracted-records.ts";
import { ReextractError } from "./reextract-error.ts";
import { runRecords } from "./run-records.ts";
import { listExtractions, type StoredExtraction } from "./stored-extraction.ts";

/** An item as a set of records has it: with that set's state, failure and quality. */
export interface ItemRecords {
  readonly item: ItemView;
  /** Its records as they are stored, one JSON text a line; empty where it has none. */
  readonly lines: Buffer;
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
}

/** By `first`, `current`, or an extraction's id, a beginning of it or its last part. */
export const openRecordSet = async (blobs: Blobs, job: string, which = "current"): Promise<RecordSet> => {
  const extraction = which === "first" ? undefined : await findExtraction(blobs, job, which);
  return extraction ? extractedRecords(blobs, extraction) : runRecords(blobs, job);
};

/** Undefined for `current` while no extraction is complete. */
const findExtraction = async (
  blobs: Blobs,
  job: string,
  which: string,
): Promise<StoredExtraction | undefined> => {
  const known = await listExtractions(blobs, job);
  if (which === "current") return known.at(-1);
  const found = known.filter(({ id }) => which !== "" && (id.startsWith(which) || id.endsWith(`-${which}`)));
  if (found.length === 1) return found[0];
  throw new ReextractError(
    "no-such-extraction",
    `${job}@${which}: ${found.length > 1 ? `${found.length} extractions are named so` : "no such extraction"}. ` +
      `This job has: ${["first", ...known.map(({ id }) => id)].join(", ")}.`,
  );
};
