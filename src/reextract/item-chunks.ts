import { pagesOf, stateOnceRead } from "../archive/extracted-records.ts";
import { itemPages } from "../archive/manifest.ts";
import type { ItemRecords, RecordSet } from "../archive/record-set.ts";
import type { ItemState, ItemView } from "../domain/item.ts";
import type { JobLedger } from "../ports/ledger.ts";
import type { Chunk, StoredItem } from "./extract-chunk.ts";

/** Enough to make a transfer cheap; few enough that the threads end at about the same time. */
const MOST_ITEMS = 128;
/** Stored bytes of a chunk's pages and records. */
const MOST_BYTES = 1024 * 1024;

interface ChunkSource {
  readonly ledger: JobLedger;
  readonly job: string;
  /** The items' current records. */
  readonly set: RecordSet;
  /** Only items in these states; all by default. A set that is read sequentially must see all of them. */
  readonly states?: readonly ItemState[];
  /** Index of the scraper that reads the item's pages; undefined to skip it. */
  readonly scraperOf: (item: ItemView) => number | undefined;
  readonly withInputs?: boolean;
}

/** The items of a job whose pages are read, in the ledger's order, each with its records. */
export async function* itemChunks(source: ChunkSource): AsyncGenerator<Chunk> {
  const { ledger, job, set, states, scraperOf, withInputs } = source;
  let items: StoredItem[] = [];
  let before: Buffer[] = [];
  let bytes = 0;
  const cut = (): Chunk => {
    const chunk = { items, before: new Uint8Array(Buffer.concat(before)), ended: new Map() };
    [items, before, bytes] = [[], [], 0];
    return chunk;
  };
  const add = (item: ItemView, { item: was, lines, blob }: ItemRecords): void => {
    const scraper = scraperOf(item);
    if (scraper === undefined) return;
    const pages = pagesOf(item);
    items.push({
      ref: item.ref,
      key: item.key,
      ...(withInputs && { input: item.input }),
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
  for await (const page of itemPages(ledger, job, states ? { states } : {})) {
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
