import { isExtractable } from "../archive/extracted-records.ts";
import { runRecords } from "../archive/record-set.ts";
import type { ItemRef, ItemView } from "../domain/item.ts";
import type { JobView } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { JobLedger } from "../ports/ledger.ts";

/** Stored pages on which a new version of a scraper is tested. */
export interface PickedPages {
  readonly items: readonly ItemView[];
  /** Why they were picked: an item may have several reasons. */
  readonly newest: number;
  /** Items with a field that was empty, missing or malformed. */
  readonly incomplete: number;
  /** Of each older month, by `2026-08`. */
  readonly months: Readonly<Record<string, number>>;
}

const NEWEST = 500;
const OF_A_MONTH = 100;
const MOST_INCOMPLETE = 1000;
/** Maximum number of items to check for the newest and the incomplete ones, beginning with the newest job. */
const LOOKED_AT = 10_000;
const JOBS = 200;
const PAGE = 500;

type Stores = { readonly ledger: Pick<JobLedger, "listJobs" | "listItems">; readonly blobs: Blobs };

export const pickPages = async (stores: Stores, scraper: string): Promise<PickedPages> => {
  const all = await stores.ledger.listJobs({ scraper, limit: JOBS });
  const jobs = all.filter(({ spec, pagesRemoved }) => spec.scraper === scraper && !pagesRemoved);
  const looked: ItemView[] = [];
  const incomplete: ItemView[] = [];
  for (const job of jobs) {
    if (looked.length >= LOOKED_AT) break;
    for await (const items of readable(stores, job, LOOKED_AT - looked.length)) {
      looked.push(...items);
      if (incomplete.length < MOST_INCOMPLETE) incomplete.push(...(await withGaps(stores, job, items)));
    }
  }
  const newest = looked.toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0)).slice(0, NEWEST);
  const gaps = incomplete.slice(0, MOST_INCOMPLETE);
  const months = await pickMonths(stores, jobs);
  const picked = new Map(
    [...newest, ...gaps, ...months.values().flatMap((items) => items)].map((item) => [
      `${item.ref.queue}/${item.ref.seq}`,
      item,
    ]),
  );
  return {
    items: [...picked.values()],
    newest: newest.length,
    incomplete: gaps.length,
    months: Object.fromEntries([...months].map(([month, items]) => [month, items.length])),
  };
};

/** The items of a job whose pages can be read, up to the limit. */
async function* readable({ ledger }: Stores, { spec }: JobView, most: number): AsyncGenerator<ItemView[]> {
  let after: ItemRef | undefined;
  for (let left = most; left > 0;) {
    const page = await ledger.listItems(spec.id, {
      states: ["done", "failed"],
      limit: Math.min(PAGE, left),
      ...(after && { after }),
    });
    left -= page.items.length;
    yield page.items.filter((item) => item.captures.length > 0 && isExtractable(item, { emits: false }));
    after = page.next;
    if (!after) return;
  }
}

const GAP = /"status":"(?:empty|missing|malformed)"/;

const withGaps = async (
  { blobs }: Stores,
  { spec, fieldCounts, partial }: JobView,
  items: readonly ItemView[],
): Promise<ItemView[]> => {
  const isComplete =
    partial === 0 && fieldCounts.every((count, at) => at % FIELD_STATUSES.length === 0 || count === 0);
  // Counts are of done items; the others have failed because of what they lack.
  if (isComplete) return items.filter(({ state }) => state === "failed");
  const found: ItemView[] = [];
  let at = 0;
  for await (const batch of runRecords(blobs, spec.id, () => undefined).recordsOf(items))
    for (const { lines } of batch) {
      const item = items[at++]!;
      if (item.state === "failed" || item.quality === "partial" || GAP.test(lines.toString()))
        found.push(item);
    }
  return found;
};

const monthOf = ({ createdAt }: JobView): string => new Date(createdAt).toISOString().slice(0, 7);

const pickMonths = async (stores: Stores, jobs: readonly JobView[]): Promise<Map<string, ItemView[]>> => {
  const months = new Map<string, ItemView[]>();
  const [first] = jobs;
  for (const job of jobs) {
    const month = monthOf(job);
    if (month === monthOf(first!)) continue;
    const known = months.get(month) ?? [];
    months.set(month, known);
    if (known.length >= OF_A_MONTH) continue;
    for await (const items of readable(stores, job, OF_A_MONTH))
      known.push(...items.slice(0, OF_A_MONTH - known.length));
  }
  return months;
};
