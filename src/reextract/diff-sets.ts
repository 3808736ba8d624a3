import type { Storage } from "../ports/storage.ts";
import { fieldPrefix } from "../domain/record.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import { compareItems, type ItemSide } from "./compare-items.ts";
import { type ItemRecords, openRecordSet } from "./current-records.ts";
import { count, type Difference, newDifference } from "./difference.ts";
import { openItemIndex } from "./item-index.ts";
import { itemPages } from "./item-pages.ts";
import { parseRecords } from "./parse-records.ts";

/** A set of records by its job and which of the job's sets it is: `first`, `current` or an extraction. */
interface SetChoice {
  readonly spec: JobSpec;
  readonly which: string;
}

interface DiffOptions {
  /** Examples of each kind of change. */
  readonly most: number;
  /** Only these fields; all unless given. */
  readonly only?: ReadonlySet<string> | undefined;
}

interface SetDifference {
  readonly before: string;
  readonly after: string;
  readonly difference: Difference;
}

/** What differs between two sets of records, of one job or of two. Memory does not grow with them. */
export const diffSets = async (
  storage: Pick<Storage, "ledger" | "blobs">,
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
        const records = parseRecords({ key: item.key, ...was });
        compare(after.spec, item, { state: was.state, records }, sideOf(one));
      } else count(difference.onlyAfter, item.key, options.most);
    }
  await now.checkEnd();
  const left = index.left(options.most);
  difference.onlyBefore.count = left.count;
  difference.onlyBefore.keys.push(...left.keys);
  return { before: old.name, after: now.name, difference };
};

/** Items of two jobs belong together by their key and by the part that their scraper plays: its name, or being the root. */
const prefixOf = ({ scraper }: JobSpec, item: ItemView): string => fieldPrefix(scraper, item.scraper);

const sideOf = ({ item, lines, blob }: ItemRecords): ItemSide => ({
  state: item.state,
  records: parseRecords({ key: item.key, lines, blob }),
});

async function* inOne<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}
