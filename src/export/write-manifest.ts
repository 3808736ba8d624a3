import type { Stores } from "./export-rows.ts";
import { keepJobFile } from "../archive/journal.ts";
import { manifestName, writeManifest } from "../archive/manifest.ts";
import { itemPages } from "../reextract/item-pages.ts";

/** Writes down what the ledger knows of every item, so that the archive can be read without it. */
export const writeJobManifest = async ({ ledger, blobs }: Stores, job: string): Promise<void> => {
  const at = Date.now();
  await writeManifest(blobs, job, itemPages(ledger, job));
  await keepJobFile({ ledger, blobs }, job, at);
  // Written, and then looked: whoever removed the job in between has not seen it.
  if (!(await ledger.readJob(job))) await blobs.remove(manifestName(job));
};
