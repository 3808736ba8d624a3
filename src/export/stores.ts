import type { Blobs } from "../ports/blobs.ts";
import type { JobLedger } from "../ports/ledger.ts";

/** Where a job's items are known, and where its bytes lie. */
export interface Stores {
  readonly ledger: JobLedger;
  readonly blobs: Blobs;
}
