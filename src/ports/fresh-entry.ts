import type { FailureKind } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";

/**
 * What identifies a fetched page: the scraper and the item's key. `client` is the owner of the cache entry; null if it may be shared, because it was
 * fetched without cookies or credentials and the response allows it.
 */
export interface FreshKey {
  readonly client: string | null;
  readonly scraper: string;
  readonly key: string;
}

/** What a settled item stores for later ones. Times count from the settle. */
export interface FreshNote extends Pick<FreshEntry, "outcome" | "etag" | "lastModified" | "url" | "digest"> {
  /** How long it counts as fresh if the asking job has no window of its own. */
  readonly freshMs: number;
  /** How long it may answer other clients; 0 if only after revalidation; omitted if never. */
  readonly sharedMs?: number;
}

/** Stored by a settled item; answers later items with the same key. */
export interface FreshEntry extends FreshKey {
  /** Version of the scraper that made the records: it answers no other version, but can be compared with it. */
  readonly version: string;
  /** Who has the pages: not always the client's own. */
  readonly job: string;
  readonly item: ItemRef;
  readonly fetchedAt: number;
  /** Until when it counts as fresh if the asking job has no window of its own. */
  readonly freshUntil: number;
  readonly outcome: "done" | "absent" | FailureKind;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Of the page that they belong to. */
  readonly url?: string;
  /** Over the records, or over the kept pages if there are none: equal means unchanged. */
  readonly digest?: string;
}
