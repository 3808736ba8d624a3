import type { ItemView } from "../model/item.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { ItemRecords, RecordSet } from "./current-records.ts";
import type { Chunk, StoredItem } from "./extract-chunk.ts";
import { isExtractable, pagesOf, stateOnceRead } from "./extractable.ts";
import { itemPages } from "./item-pages.ts";
import type { ExtractingScraper } from "./stored-extraction.ts";

/** Enough to make a hand-over cheap; few enough that the threads end at about the same time. */
const MOST_ITEMS = 128;
/** Stored bytes of a chunk's pages and records. */
const MOST_BYTES = 1024 * 1024;

/**
 * The items of a job whose pages can be read, in the ledger's order, each with its records in the set that is compared with. `onOther` hears
 * of those that are passed over.
 */
export async function* itemChunks(
  ledger: Ledger,
  job: string,
  set: RecordSet,
  scrapers: readonly ExtractingScraper[],
  onOther: (item: ItemView) => void = () => undefined,
): AsyncGenerator<Chunk> {
  const placeOf = new Map(scrapers.map(({ was }, at) => [was, at]));
  let items: StoredItem[] = [];
  let before: Buffer[] = [];
  let bytes = 0;
  const cut = (): Chunk => {
    const chunk = { items, before: new Uint8Array(Buffer.concat(before)), ended: new Map() };
    [items, before, bytes] = [[], [], 0];
    return chunk;
  };
  const add = (item: ItemView, { item: was, lines, blob }: ItemRecords): void => {
    const scraper = placeOf.get(item.scraper);
    // As the ledger has it: what an earlier extraction made of it does not matter.
    if (scraper === undefined || !isExtractable(item, scrapers[scraper]!)) return onOther(item);
    const pages = pagesOf(item);
    items.push({
      key: item.key,
      scraper,
      pages,
      stateBefore: was.state,
      stateOnceRead: stateOnceRead(item),
      bytesBefore: lines.length,
      blobBefore: blob,
    });
    before.push(lines);
    bytes += pages.reduce((sum, { length }) => sum + length, lines.length);
  };
  for await (const page of itemPages(ledger, job)) {
    let at = 0;
    for await (const batch of set.recordsOf(page))
      for (const records of batch) {
        add(page[at++]!, records);
        if (items.length >= MOST_ITEMS || bytes >= MOST_BYTES) yield cut();
      }
  }
  await set.checkEnd();
  if (items.length > 0) yield cut();
}
