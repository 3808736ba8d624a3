import type { Ledger, PlannedItem } from "../ports/ledger.ts";

const PAGE = 500;

/** Those whose keys the job does not have yet. */
export const missingItems = async (
  ledger: Pick<Ledger, "listItems">,
  job: string,
  items: readonly PlannedItem[],
): Promise<PlannedItem[]> => {
  const known = new Set<string>();
  const keys = [...new Set(items.map(({ key }) => key))];
  for (let at = 0; at < keys.length; at += PAGE) {
    const asked = keys.slice(at, at + PAGE);
    // What was given is at depth 0; the same key may also have been found for another scraper.
    const found = await ledger.listItems(job, { keys: asked, limit: Number.MAX_SAFE_INTEGER });
    for (const { key, depth } of found.items) if (depth === 0) known.add(key);
  }
  return items.filter(({ key }) => !known.has(key));
};
