import type { CaptureRef } from "../domain/capture.ts";
import { type Failure, failureInfo } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type ExtractingScraper, findSet, type StoredExtraction } from "./extractions.ts";
import { isPacked } from "./read-capture.ts";
import {
  BATCH_BYTES,
  damagedRecords,
  type ItemRecords,
  readRunLines,
  type RecordSet,
  runRecords,
} from "./record-set.ts";
import { isStorageError, type OnDamage, refuseDamage, sha256 } from "./stored-bytes.ts";

/**
 * Done, or skipped because the page is unchanged, or failed after its pages were collected. If the scraper emits, the failure may be one of
 * emitting, which only another run of the item can fix.
 */
export const isExtractable = (item: ItemView, { emits }: { readonly emits: boolean }): boolean =>
  item.state === "done" ||
  (item.state === "skipped" && item.quality !== undefined && pagesOf(item).length > 0) ||
  (item.state === "failed" &&
    !emits &&
    item.failure !== undefined &&
    failureInfo(item.failure.kind).isOfExtraction &&
    pagesOf(item).length > 0);

/** An item's state in a set of records after its pages were read: a skipped item stays skipped. */
export const stateOnceRead = ({ state }: Pick<ItemView, "state">): "done" | "skipped" =>
  state === "skipped" ? "skipped" : "done";

/** The captures kept for extraction. Files stored as separate objects are not read. */
export const pagesOf = ({ captures }: Pick<ItemView, "captures">): readonly CaptureRef[] =>
  captures.filter(isPacked);

/** A line of an extraction's failures. */
export interface FailedItem {
  readonly key: string;
  readonly scraper: string;
  readonly failure: Failure;
}

/** By `first`, `current`, or an extraction's id, its beginning or its last part. */
export const openRecordSet = async (
  blobs: Blobs,
  job: string,
  which = "current",
  onDamage: OnDamage = refuseDamage,
): Promise<RecordSet> => {
  const extraction = await findSet(blobs, job, which);
  return extraction ? extractedRecords(blobs, extraction, onDamage) : runRecords(blobs, job, onDamage);
};

/**
 * The records of an extraction, in the order of the items; key and scraper tell which item a line belongs to. An item that was not part of the
 * extraction, or was put back or collected since, keeps the newer result of its run.
 */
const extractedRecords = (blobs: Blobs, extraction: StoredExtraction, onDamage: OnDamage): RecordSet => {
  const { digests = {} } = extraction;
  const lines = new LineReader(
    batchesOf(blobs, extraction.segments, digests, onDamage),
    recordHead,
    onDamage,
  );
  const failures = new LineReader(
    batchesOf(blobs, extraction.failures, digests, onDamage),
    (line) => JSON.parse(line.toString()) as FailedItem,
    onDamage,
  );
  const scrapers = new Map(extraction.scrapers.map((scraper) => [scraper.was, scraper]));

  const isCurrent = (item: ItemView, scraper: ExtractingScraper): boolean =>
    isExtractable(item, scraper) && (item.endedAt === undefined || item.endedAt < extraction.startedAt);

  const takeOwn = async (item: ItemView): Promise<ItemRecords | undefined> => {
    const now = scrapers.get(item.scraper);
    if (now === undefined) return undefined;
    // Its lines are consumed even if they are outdated: the next item's lines follow them.
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
    if (!isCurrent(item, now)) return undefined;
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
    const others = items.filter((_, at) => own[at] === undefined);
    const ofRun = (await readRunLines(blobs, others, onDamage)).values();
    return own.map((records) => records ?? ofRun.next().value!);
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

interface LineBatch {
  readonly blob: string;
  /** With their line ends. */
  readonly lines: readonly Buffer[];
}

interface HeadedLine<Head> {
  readonly line: Buffer;
  readonly blob: string;
  readonly head: Head;
}

/** Matches lines to items. The head of each line is parsed once, however many items pass before its own. */
class LineReader<Head extends { readonly key: string; readonly scraper: string }> {
  readonly #batches: AsyncGenerator<LineBatch>;
  readonly #parse: (line: Buffer) => Head;
  readonly #onDamage: OnDamage;
  #batch: LineBatch = { blob: "", lines: [] };
  #at = 0;
  #next: HeadedLine<Head> | undefined;
  #lastKey: string | undefined;

  constructor(batches: AsyncGenerator<LineBatch>, parse: (line: Buffer) => Head, onDamage: OnDamage) {
    this.#batches = batches;
    this.#parse = parse;
    this.#onDamage = onDamage;
  }

  /** The next line if it belongs to this item. */
  async next(key: string, scraper: string): Promise<HeadedLine<Head> | undefined> {
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
        damagedRecords(
          left.blob,
          `the line of item ${left.head.key} and those after it match no item of the job`,
        ),
      );
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }

  /** Reports a line that cannot be read, and skips it. */
  async #peek(): Promise<HeadedLine<Head> | undefined> {
    while (this.#next === undefined) {
      while (this.#at >= this.#batch.lines.length) {
        const next = await this.#batches.next();
        if (next.done === true) return undefined;
        this.#batch = next.value;
        this.#at = 0;
      }
      const { blob } = this.#batch;
      const line = this.#batch.lines[this.#at++]!;
      try {
        const head = this.#parse(line);
        if (typeof (head as Head | null)?.key !== "string") throw new SyntaxError("not a line of an item");
        this.#next = { line, blob, head };
      } catch (cause) {
        const which = this.#lastKey === undefined ? "its first line" : `the line after item ${this.#lastKey}`;
        this.#onDamage(damagedRecords(blob, `${which} cannot be read`, { cause }));
      }
    }
    return this.#next;
  }
}

/** The lines of JSONL objects, in order. If `onDamage` returns, reading continues with the next object. */
async function* batchesOf(
  blobs: Blobs,
  names: readonly string[],
  digests: Readonly<Record<string, string>>,
  onDamage: OnDamage,
): AsyncGenerator<LineBatch> {
  for (const blob of names)
    try {
      for await (const lines of linesOf(blobs, blob, digests[blob])) yield { blob, lines };
    } catch (error) {
      if (!isStorageError(error)) throw error;
      onDamage(error);
    }
}

/** An object whose digest is known is a few megabytes: it is read whole and verified before any line is used. */
async function* verifiedBytes(blobs: Blobs, name: string, digest: string): AsyncGenerator<Uint8Array> {
  const bytes = await blobs.get(name);
  if (sha256(bytes) !== digest) throw damagedRecords(name, "the object is damaged: digest mismatch");
  yield bytes;
}

async function* linesOf(
  blobs: Blobs,
  name: string,
  digest: string | undefined,
): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer[] = [];
  const stored = digest === undefined ? blobs.stream(name) : verifiedBytes(blobs, name, digest);
  for await (const bytes of stored) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = chunk.subarray(from, end + 1);
      lines.push(rest.length === 0 ? line : Buffer.concat([...rest, line]));
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    yield lines;
  }
  if (rest.length > 0) throw damagedRecords(name, "the object ends in the middle of a line");
}

/** The members before the fields in a line of records (see `pipeline/judge.ts`). */
interface RecordHead {
  readonly key: string;
  readonly scraper: string;
  readonly quality: "complete" | "partial";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads the head of a line without parsing the fields, which are most of it. A line in another form is parsed whole. */
export const recordHead = (line: Buffer): RecordHead =>
  readStrings(line) ?? (JSON.parse(line.toString()) as RecordHead);

const readStrings = (line: Buffer): RecordHead | undefined => {
  const head = new Map<string, string>();
  let at = 1; // after the brace
  for (;;) {
    const nameEnd = stringEnd(line, at);
    if (nameEnd < 0) return undefined;
    const name = line.toString("latin1", at + 1, nameEnd - 1);
    if (name === "fields") break;
    const valueEnd = stringEnd(line, nameEnd + 1);
    if (valueEnd < 0) return undefined;
    if (name === "key" || name === "scraper" || name === "quality")
      head.set(name, JSON.parse(line.toString("utf8", nameEnd + 1, valueEnd)) as string);
    at = valueEnd + 1; // after the comma
  }
  const [key, scraper, quality] = [head.get("key"), head.get("scraper"), head.get("quality")];
  if (key === undefined || scraper === undefined || (quality !== "complete" && quality !== "partial"))
    return undefined;
  return { key, scraper, quality };
};

/** Index after the closing quote of the string that begins at `start`; -1 if there is none. */
const stringEnd = (line: Buffer, start: number): number => {
  if (line[start] !== QUOTE) return -1;
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === BACKSLASH) at++;
    else if (line[at] === QUOTE) return at + 1;
  }
  return -1;
};
