import type { ItemView } from "../domain/item.ts";
import type { ItemQuery, JobLedger } from "../ports/ledger.ts";

/** Small: while a page is listed, nothing else happens on this thread. */
const PAGE = 500;

/** A job's items, page by page in the ledger's order. */
export async function* itemPages(
  ledger: JobLedger,
  job: string,
  filter: Pick<ItemQuery, "states" | "kinds" | "scraper"> = {},
): AsyncGenerator<readonly ItemView[]> {
  let query: ItemQuery = { ...filter, limit: PAGE };
  for (;;) {
    const { items, next } = await ledger.listItems(job, query);
    if (items.length > 0) yield items;
    if (next === undefined) return;
    query = { ...query, after: next };
  }
}
