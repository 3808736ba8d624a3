import { writeManifest } from "../archive/manifest.ts";
import type { House } from "../compose.ts";
import { itemPages } from "../reextract/item-pages.ts";

/** Writes down what the ledger knows of every item, so that the archive can be read without it. */
export const writeJobManifest = async (
  { ledger, blobs }: Pick<House, "ledger" | "blobs">,
  job: string,
): Promise<void> => await writeManifest(blobs, job, itemPages(ledger, job));
