import { readCapture } from "../archive/read-capture.ts";
import type { ItemFreshness } from "../freshness/item-freshness.ts";
import type { JobSpec } from "../domain/job.ts";
import type { ClaimedItem } from "../ports/ledger.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** What the item's job wants to know of the last time. Loaded when a job asks: the first request of others need not wait for it. */
export const freshnessOf = async (
  { ledger, blobs }: Pick<WorkerOptions, "ledger" | "blobs">,
  item: ClaimedItem,
  spec: JobSpec,
  ready: CompiledScraper,
): Promise<ItemFreshness | undefined> => {
  if (!spec.freshness) return undefined;
  const { ItemFreshness } = await import("../freshness/item-freshness.ts");
  return await ItemFreshness.of({ ledger, readCapture: (ref) => readCapture(blobs, ref) }, item, spec, ready);
};
