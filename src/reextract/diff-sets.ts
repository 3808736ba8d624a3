import { openRecordSet } from "../archive/extracted-records.ts";
import { itemPages, type Stores } from "../archive/manifest.ts";
import { type ItemRecords, parseRecords } from "../archive/record-set.ts";
import { openScratch } from "../archive/scratch-database.ts";
import type { ItemState, ItemView } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import { fieldPrefix } from "../domain/record.ts";
import { compareItems, count, type Difference, type ItemSide, newDifference } from "./difference.ts";

/** One of a job's sets of records: `first`, `current` or an extraction. */
interface SetChoice {
  readonly spec: JobSpec;
  readonly which: string;
}

interface DiffOptions {
  /** Examples of each kind of change. */
  readonly most: number;
  /** Only these fields; all by default. */
  readonly only?: ReadonlySet<string> | undefined;
}

interface SetDifference {
  readonly before: string;
  readonly after: string;
  readonly difference: Difference;
}

/** The difference between two sets of records, of one job or of two. Memory does not grow with them. */
export const diffSets = async (
  storage: Stores,
  before: SetChoice,
  after: SetChoice,
  options: DiffOptions,
): Promise<SetDifference> => {
  await using old = await openRecordSet(storage.blobs, before.spec.id, before.which);
  await using now = await openRecordSet(storage.blobs, after.spec.id, after.which);
  const difference = newDifference();
  const compare = (spec: JobSpec, item: ItemView, was: ItemSide, is: ItemSide): void =>
    compareItems(difference, item.key, was, is, { ...options, prefix: prefixOf(spec, item) });
  if (before.spec.id === after.spec.id) {
    for await (const page of itemPages(storage.ledger, before.spec.id)) {
      const others = inOne(now.recordsOf(page));
      for await (const was of inOne(old.recordsOf(page))) {
        const next = await others.next();
        if (next.done === true) throw new Error(`${now.name} ended before ${old.name}`);
        compare(before.spec, was.item, sideOf(was), sideOf(next.value));
      }
    }
    await Promise.all([old.checkEnd(), now.checkEnd()]);
    return { before: old.name, after: now.name, difference };
  }
  using index = openItemIndex();
  for await (const page of itemPages(storage.ledger, before.spec.id))
    for await (const batch of old.recordsOf(page))
      index.put(
        batch.map(({ item, lines, blob }) => ({
          scraper: prefixOf(before.spec, item),
          key: item.key,
          state: item.state,
          lines,
          blob,
        })),
      );
  await old.checkEnd();
  for await (const page of itemPages(storage.ledger, after.spec.id))
    for await (const one of inOne(now.recordsOf(page))) {
      const { item } = one;
      const was = index.take(prefixOf(after.spec, item), item.key);
      if (was) {
        const records = parseRecords(item.key, was);
        compare(after.spec, item, { state: was.state, records }, sideOf(one));
      } else count(difference.onlyAfter, item.key, options.most);
    }
  await now.checkEnd();
  const left = index.left(options.most);
  difference.onlyBefore.count = left.count;
  difference.onlyBefore.keys.push(...left.keys);
  return { before: old.name, after: now.name, difference };
};

/** Items of two jobs match by key and by the role of their scraper: its name, or being the root. */
const prefixOf = ({ scraper }: JobSpec, item: ItemView): string => fieldPrefix(scraper, item.scraper);

const sideOf = ({ item, lines, blob }: ItemRecords): ItemSide => ({
  state: item.state,
  records: parseRecords(item.key, { lines, blob }),
});

async function* inOne<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

interface IndexedItem {
  readonly scraper: string;
  readonly key: string;
  readonly state: ItemState;
  readonly lines: Buffer;
  /** The object that holds them. */
  readonly blob: string;
}

/** Items by key, in a temporary file: two jobs have their items in different orders, and may have millions. */
interface ItemIndex extends Disposable {
  put(items: readonly IndexedItem[]): void;
  take(scraper: string, key: string): Pick<IndexedItem, "state" | "lines" | "blob"> | undefined;
  /** Items that were never taken: their number, and the keys of the first. */
  left(most: number): { readonly count: number; readonly keys: readonly string[] };
}

export const openItemIndex = (): ItemIndex => {
  const scratch = openScratch(
    "diff",
    `CREATE TABLE items (scraper TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, lines BLOB NOT NULL, object TEXT NOT NULL, is_taken INTEGER NOT NULL DEFAULT 0);
     CREATE UNIQUE INDEX by_key ON items (key, scraper)`,
  );
  const { db } = scratch;
  const insert = db.prepare("INSERT INTO items (scraper, key, state, lines, object) VALUES (?, ?, ?, ?, ?)");
  const find = db.prepare(
    "UPDATE items SET is_taken = 1 WHERE key = ? AND scraper = ? RETURNING state, lines, object AS blob",
  );
  return {
    put(items) {
      db.exec("BEGIN");
      for (const { scraper, key, state, lines, blob } of items) insert.run(scraper, key, state, lines, blob);
      db.exec("COMMIT");
    },
    take(scraper, key) {
      const row = find.get(key, scraper) as { state: ItemState; lines: Uint8Array; blob: string } | undefined;
      return row && { ...row, lines: Buffer.from(row.lines) };
    },
    left(most) {
      const { total } = db.prepare("SELECT count(*) AS total FROM items WHERE is_taken = 0").get() as {
        total: number;
      };
      const rows = db
        .prepare("SELECT key FROM items WHERE is_taken = 0 ORDER BY rowid LIMIT ?")
        .all(most) as { key: string }[];
      return { count: total, keys: rows.map(({ key }) => key) };
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
};
