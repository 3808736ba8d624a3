import { isPacked } from "../archive/read-capture.ts";
import type { CaptureRef } from "../domain/capture.ts";
import { failureInfo } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";

/**
 * Done, or skipped with a page that is as it was, or collected and then failed in what was made of its pages. Where a scraper emits, the failure may have been of that, which only
 * another run of the item can mend.
 */
export const isExtractable = (item: ItemView, { emits }: { readonly emits: boolean }): boolean =>
  item.state === "done" ||
  (item.state === "skipped" && item.quality !== undefined && pagesOf(item).length > 0) ||
  (item.state === "failed" &&
    !emits &&
    item.failure !== undefined &&
    failureInfo(item.failure.kind).isOfExtraction &&
    pagesOf(item).length > 0);

/** What an item is in a set of records once its pages were read: one that the job skipped stays skipped. */
export const stateOnceRead = ({ state }: Pick<ItemView, "state">): "done" | "skipped" =>
  state === "skipped" ? "skipped" : "done";

/** What was kept for extraction; files that are objects of their own are not read. */
export const pagesOf = ({ captures }: Pick<ItemView, "captures">): readonly CaptureRef[] =>
  captures.filter(isPacked);
