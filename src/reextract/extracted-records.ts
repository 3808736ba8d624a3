import { ArchiveError } from "../archive/manifest.ts";
import type { Failure } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { BlobLines } from "./blob-lines.ts";
import type { ItemRecords, RecordSet } from "./current-records.ts";
import type { OnDamage } from "./damage.ts";
import { isExtractable, stateOnceRead } from "./extractable.ts";
import { type RecordHead, recordHead } from "./record-head.ts";
import { BATCH_BYTES, readRunLines } from "./run-records.ts";
import type { ExtractingScraper, StoredExtraction } from "./stored-extraction.ts";

/** A line of an extraction's failures. */
export interface FailedItem {
  readonly key: string;
  readonly scraper: string;
  readonly failure: Failure;
}

/**
 * The records of an extraction. They stand in the order of the items, of which each knows its own by key and scraper. An item that was
 * not extracted then, or was put back or collected since, is as its run left it: that is the newer word.
 */
export const extractedRecords = (
  blobs: Blobs,
  extraction: StoredExtraction,
  onDamage: OnDamage,
): RecordSet => {
  const { segments, digests } = extraction;
  const lines = new Heads(new BlobLines(blobs, segments, onDamage, digests), recordHead, onDamage);
  const failures = new Heads(
    new BlobLines(blobs, extraction.failures, onDamage, digests),
    failedItem,
    onDamage,
  );
  const scrapers = new Map(extraction.scrapers.map((scraper) => [scraper.was, scraper]));

  const isAsItWas = (item: ItemView, scraper: ExtractingScraper): boolean =>
    isExtractable(item, scraper) && (item.endedAt === undefined || item.endedAt < extraction.startedAt);

  const takeOwn = async (item: ItemView): Promise<ItemRecords | undefined> => {
    const now = scrapers.get(item.scraper);
    if (now === undefined) return undefined;
    // What it has here is taken whether it counts or not: the next item's stands behind it.
    const { key } = item;
    const { name: scraper } = now;
    const found: Buffer[] = [];
    let blob = "";
    let quality: RecordHead["quality"] = "complete";
    for (let next = await lines.next(key, scraper); next; next = await lines.next(key, scraper)) {
      if (next.head.quality === "partial") quality = "partial";
      if (found.length === 0) blob = next.blob;
      found.push(next.line);
    }
    const failed = await failures.next(key, scraper);
    if (!isAsItWas(item, now)) return undefined;
    const { failure: _before, quality: _was, ...rest } = item;
    return {
      item: failed
        ? { ...rest, state: "failed", failure: failed.head.failure }
        : { ...rest, state: stateOnceRead(item), quality },
      lines: found.length === 1 ? found[0]! : Buffer.concat(found),
      blob,
    };
  };

  const complete = async (
    items: readonly ItemView[],
    own: readonly (ItemRecords | undefined)[],
  ): Promise<ItemRecords[]> => {
    const asRun = await readRunLines(
      blobs,
      items.filter((_, at) => own[at] === undefined),
      onDamage,
    );
    return items.map((item, at) => own[at] ?? asRun(item));
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
    async checkEnd() {
      await lines.checkEnd();
      await failures.checkEnd();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([lines.close(), failures.close()]);
    },
  };
};

const failedItem = (line: Buffer): FailedItem => JSON.parse(line.toString()) as FailedItem;

interface Headed<Head> {
  readonly line: Buffer;
  readonly blob: string;
  readonly head: Head;
}

/** Lines with what is read of each to know whose it is; that is done once, however many items pass before its own. */
class Heads<Head extends { readonly key: string; readonly scraper: string }> {
  readonly #lines: BlobLines;
  readonly #read: (line: Buffer) => Head;
  readonly #onDamage: OnDamage;
  #next: Headed<Head> | undefined;
  #lastKey: string | undefined;

  constructor(lines: BlobLines, read: (line: Buffer) => Head, onDamage: OnDamage) {
    this.#lines = lines;
    this.#read = read;
    this.#onDamage = onDamage;
  }

  /** The next line if it is this item's. */
  async next(key: string, scraper: string): Promise<Headed<Head> | undefined> {
    const next = await this.#peek();
    if (next?.head.key !== key || next.head.scraper !== scraper) return undefined;
    this.#next = undefined;
    this.#lastKey = key;
    return next;
  }

  async checkEnd(): Promise<void> {
    const left = await this.#peek();
    if (left)
      this.#onDamage(
        damaged(left.blob, `its line of item ${left.head.key} and those after it fit no item of the job`),
      );
  }

  async close(): Promise<void> {
    await this.#lines.close();
  }

  /** A line that cannot be read is told, and passed over. */
  async #peek(): Promise<Headed<Head> | undefined> {
    while (this.#next === undefined) {
      const line = await this.#lines.next();
      if (!line) return undefined;
      const { bytes, blob } = line;
      try {
        const head = this.#read(bytes);
        if (typeof (head as Head | null)?.key !== "string") throw new SyntaxError("not a line of an item");
        this.#next = { line: bytes, blob, head };
      } catch (cause) {
        const after = this.#lastKey === undefined ? "its first line" : `the line after item ${this.#lastKey}`;
        this.#onDamage(damaged(blob, `${after} cannot be read`, cause));
      }
    }
    return this.#next;
  }
}

const damaged = (blob: string, what: string, cause?: unknown): ArchiveError =>
  new ArchiveError(
    "damaged",
    blob,
    `${blob}: ${what}. Put the object back from a backup, or extract again with \`sluice extract\`.`,
    { cause },
  );
