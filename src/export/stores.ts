import type { Blobs } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";

/** Where a job's items are known, and where its bytes lie. */
export interface Stores {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
}
