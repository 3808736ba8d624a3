import { ArchiveError } from "../archive/archive-error.ts";
import type { ItemView } from "../model/item.ts";
import { BlobError } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { ItemRecords, RecordSet } from "./current-records.ts";
import type { Chunk, StoredItem } from "./extract-chunk.ts";
import { isExtractable, pagesOf } from "./extractable.ts";
import { itemPages } from "./item-pages.ts";
import type { ExtractingScraper } from "./stored-extraction.ts";

/** Enough to make a hand-over cheap; few enough that the threads end at about the same time. */
const MOST_ITEMS = 128;
/** Stored bytes of a chunk's pages and records. */
const MOST_BYTES = 1024 * 1024;

/** The items of a job whose pages can be read, in the ledger's order, each with its records in the set that is compared with. */
export async function* itemChunks(
  ledger: Ledger,
  job: string,
  set: RecordSet,
  scrapers: readonly ExtractingScraper[],
  onUnread: (error: Error) => void,
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
  const add = (item: ItemView, stateBefore: ItemView["state"], lines: Buffer): void => {
    const scraper = placeOf.get(item.scraper);
    // As the ledger has it: what an earlier extraction made of it does not matter.
    if (scraper === undefined || !isExtractable(item, scrapers[scraper]!)) return;
    const pages = pagesOf(item);
    items.push({ key: item.key, scraper, pages, stateBefore, bytesBefore: lines.length });
    before.push(lines);
    bytes += pages.reduce((sum, { length }) => sum + length, lines.length);
  };
  for await (const page of itemPages(ledger, job)) {
    let at = 0;
    for await (const batch of recordsBefore(set, page, onUnread))
      for (const { item, lines } of batch) {
        add(page[at++]!, item.state, lines);
        if (items.length >= MOST_ITEMS || bytes >= MOST_BYTES) yield cut();
      }
  }
  if (items.length > 0) yield cut();
}

/** Where records from before cannot be read, their items have none: making them again is the way to mend that. */
async function* recordsBefore(
  set: RecordSet,
  page: readonly ItemView[],
  onUnread: (error: Error) => void,
): AsyncGenerator<readonly ItemRecords[]> {
  let count = 0;
  try {
    for await (const batch of set.recordsOf(page)) {
      count += batch.length;
      yield batch;
    }
  } catch (error) {
    if (!(error instanceof ArchiveError || error instanceof BlobError)) throw error;
    onUnread(error);
    yield page.slice(count).map((item) => ({ item, lines: NOTHING }));
  }
}

const NOTHING = Buffer.alloc(0);
