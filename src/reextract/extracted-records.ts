import type { Failure } from "../model/failure.ts";
import type { ItemView } from "../model/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { BlobLines } from "./blob-lines.ts";
import type { ItemRecords, RecordSet } from "./current-records.ts";
import { isExtractable } from "./extractable.ts";
import { type RecordHead, recordHead } from "./record-head.ts";
import { BATCH_BYTES, readRunLines } from "./run-records.ts";
import type { StoredExtraction } from "./stored-extraction.ts";

/** A line of an extraction's failures. */
export interface FailedItem {
  readonly key: string;
  readonly scraper: string;
  readonly failure: Failure;
}

/**
 * The records of an extraction. They stand in the order of the items, of which each knows its own by key and scraper. An item that was
 * not extracted then, or was collected since, is as its run left it.
 */
export const extractedRecords = (blobs: Blobs, extraction: StoredExtraction): RecordSet => {
  const lines = new Heads(blobs, extraction.segments, recordHead);
  const failures = new Heads(blobs, extraction.failures, (line) => JSON.parse(line.toString()) as FailedItem);
  const scrapers = new Map(extraction.scrapers.map((scraper) => [scraper.was, scraper]));

  const takeOwn = async (item: ItemView): Promise<ItemRecords | undefined> => {
    const now = scrapers.get(item.scraper);
    if (now === undefined || !isExtractable(item, now)) return undefined;
    const { key } = item;
    const { name: scraper } = now;
    const found: Buffer[] = [];
    let quality: RecordHead["quality"] = "complete";
    for (let next = await lines.next(key, scraper); next; next = await lines.next(key, scraper)) {
      if (next.head.quality === "partial") quality = "partial";
      found.push(next.line);
    }
    const failed = await failures.next(key, scraper);
    if (item.endedAt !== undefined && item.endedAt >= extraction.startedAt) return undefined;
    const { failure: _before, quality: _was, ...rest } = item;
    return {
      item: failed
        ? { ...rest, state: "failed", failure: failed.head.failure }
        : { ...rest, state: "done", quality },
      lines: found.length === 1 ? found[0]! : Buffer.concat(found),
    };
  };

  const complete = async (
    items: readonly ItemView[],
    own: readonly (ItemRecords | undefined)[],
  ): Promise<ItemRecords[]> => {
    const runLines = await readRunLines(
      blobs,
      items.filter((_, at) => own[at] === undefined),
    );
    return items.map((item, at) => own[at] ?? { item, lines: runLines(item) });
  };

  return {
    name: `${extraction.job}@${extraction.id}`,
    extraction,
    async *recordsOf(items) {
      let from = 0;
      let bytes = 0;
      let own: (ItemRecords | undefined)[] = [];
      for (const [at, item] of items.entries()) {
        const records = await takeOwn(item);
        own.push(records);
        bytes += records?.lines.length ?? item.records?.length ?? 0;
        if (bytes < BATCH_BYTES) continue;
        yield await complete(items.slice(from, at + 1), own);
        [from, bytes, own] = [at + 1, 0, []];
      }
      if (from < items.length) yield await complete(items.slice(from), own);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([lines.close(), failures.close()]);
    },
  };
};

/** Lines with what is read of each to know whose it is; that is done once, however many items pass before its own. */
class Heads<Head extends { readonly key: string; readonly scraper: string }> {
  readonly #lines: BlobLines;
  readonly #read: (line: Buffer) => Head;
  #next: { readonly line: Buffer; readonly head: Head } | undefined;
  #isAtEnd = false;

  constructor(blobs: Blobs, names: readonly string[], read: (line: Buffer) => Head) {
    this.#lines = new BlobLines(blobs, names);
    this.#read = read;
  }

  /** The next line if it is this item's. */
  async next(
    key: string,
    scraper: string,
  ): Promise<{ readonly line: Buffer; readonly head: Head } | undefined> {
    if (this.#next === undefined && !this.#isAtEnd) {
      const line = await this.#lines.next();
      if (line) this.#next = { line, head: this.#read(line) };
      else this.#isAtEnd = true;
    }
    const next = this.#next;
    if (next?.head.key !== key || next.head.scraper !== scraper) return undefined;
    this.#next = undefined;
    return next;
  }

  async close(): Promise<void> {
    await this.#lines.close();
  }
}
