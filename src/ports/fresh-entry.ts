import type { FailureKind } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";

/**
 * What a fetched page is known by: the scraper and the item's key. `client` is whose cache it is in; null for what may be shared, because it was
 * fetched without cookies or credentials and the response allows it.
 */
export interface FreshKey {
  readonly client: string | null;
  readonly scraper: string;
  readonly key: string;
}

/** What a settled item leaves for later ones. Times count from the settle. */
export interface FreshNote extends Pick<FreshEntry, "outcome" | "etag" | "lastModified" | "url" | "digest"> {
  /** How long it counts as fresh where the asking job names no window of its own. */
  readonly freshMs: number;
  /** How long other clients may be answered from it, 0 when only after the site was asked again; left out when never. */
  readonly sharedMs?: number;
}

/** Left by a settled item; what a later item with the same key is answered from. */
export interface FreshEntry extends FreshKey {
  /** Of the scraper whose reading of the pages the records are: another version is answered by no entry, and compared with it all the same. */
  readonly version: string;
  /** Who has the pages: not always the client's own. */
  readonly job: string;
  readonly item: ItemRef;
  readonly fetchedAt: number;
  /** Until when it counts as fresh where the asking job names no window of its own. */
  readonly freshUntil: number;
  readonly outcome: "done" | "absent" | FailureKind;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Of the page that they belong to. */
  readonly url?: string;
  /** Over the records, or over the kept pages where there are none: equal means unchanged. */
  readonly digest?: string;
}
