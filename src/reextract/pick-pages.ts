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

const LIMITS = {
  newest: 500,
  ofMonth: 100,
  /** Items with a required field missing, and failed ones: the newest. */
  incomplete: 1000,
  /** Items whose records are read for other gaps, beginning with the newest job. */
  read: 10_000,
  /** Of each field and status: what many pages lack must not hide what some have lost. */
  ofGap: 100,
  /** Items that are looked at, beginning with the newest job. */
  looked: 50_000,
};
const JOBS = 200;
const PAGE = 500;

type Stores = { readonly ledger: Pick<JobLedger, "listJobs" | "listItems">; readonly blobs: Blobs };

export const pickPages = async (
  stores: Stores,
  scraper: string,
  limits: typeof LIMITS = LIMITS,
): Promise<PickedPages> => {
  const all = await stores.ledger.listJobs({ scraper, limit: JOBS });
  const jobs = all.filter(({ spec, pagesRemoved }) => spec.scraper === scraper && !pagesRemoved);
  const [newest, lacking] = [new Newest(limits.newest), new Newest(limits.incomplete)];
  const gaps = new GapSamples(limits.ofGap);
  let looked = 0;
  for (const job of jobs) {
    if (looked >= limits.looked) break;
    for await (const items of readable(stores, job, limits.looked - looked)) {
      newest.add(items);
      lacking.add(items.filter(({ state, quality }) => state === "failed" || quality === "partial"));
      if (looked < limits.read) await gaps.add(stores, job, items);
      looked += items.length;
    }
  }
  const incomplete = distinct([...lacking.items(), ...gaps.items]);
  const months = await pickMonths(stores, jobs, limits.ofMonth);
  return {
    items: distinct([...newest.items(), ...incomplete, ...months.values().flatMap((items) => items)]),
    newest: newest.items().length,
    incomplete: incomplete.length,
    months: Object.fromEntries([...months].map(([month, items]) => [month, items.length])),
  };
};

const distinct = (items: readonly ItemView[]): ItemView[] => [
  ...new Map(items.map((item) => [`${item.ref.queue}/${item.ref.seq}`, item])).values(),
];

/** Those of many items that ended last. Items are listed in the order of their inputs. */
class Newest {
  readonly #most: number;
  #kept: ItemView[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(items: readonly ItemView[]): void {
    this.#kept.push(...items);
    if (this.#kept.length > 4 * this.#most) this.#kept = this.items();
  }

  items(): ItemView[] {
    return this.#kept.toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0)).slice(0, this.#most);
  }
}

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

const GAP = /"([^"]+)":\{"status":"(empty|missing|malformed)"/g;

/** Some items for each field that was empty, missing or malformed. */
class GapSamples {
  readonly items: ItemView[] = [];
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  async add(
    { blobs }: Pick<Stores, "blobs">,
    { spec, fieldCounts, partial }: JobView,
    items: readonly ItemView[],
  ): Promise<void> {
    const isPresent = (count: number, at: number): boolean => at % FIELD_STATUSES.length === 0 || count === 0;
    if (partial === 0 && fieldCounts.every(isPresent)) return;
    let at = 0;
    for await (const batch of runRecords(blobs, spec.id, () => undefined).recordsOf(items))
      for (const { lines } of batch) {
        const item = items[at++]!;
        const gaps = [...lines.toString().matchAll(GAP)].map(([, field, status]) => `${field} ${status}`);
        const rare = gaps.filter((gap) => (this.#counts.get(gap) ?? 0) < this.#most);
        if (rare.length > 0) this.items.push(item);
        for (const gap of rare) this.#counts.set(gap, (this.#counts.get(gap) ?? 0) + 1);
      }
  }
}

const monthOf = ({ createdAt }: JobView): string => new Date(createdAt).toISOString().slice(0, 7);

const pickMonths = async (
  stores: Stores,
  jobs: readonly JobView[],
  most: number,
): Promise<Map<string, ItemView[]>> => {
  const months = new Map<string, ItemView[]>();
  const [first] = jobs;
  for (const job of jobs) {
    const month = monthOf(job);
    if (month === monthOf(first!)) continue;
    const known = months.get(month) ?? [];
    months.set(month, known);
    if (known.length >= most) continue;
    for await (const items of readable(stores, job, most)) known.push(...items.slice(0, most - known.length));
  }
  return months;
};
