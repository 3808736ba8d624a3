import type { FailedItem } from "../archive/extracted-records.ts";
import type { ExtractionCounts } from "../archive/extractions.ts";
import { parseRecord } from "../archive/record-set.ts";
import { openCapture, readRanges } from "../archive/read-capture.ts";
import { isStorageError } from "../archive/stored-bytes.ts";
import { BodyError } from "../collectors/http/decode-body.ts";
import { storedPage } from "../collectors/http/page.ts";
import type { CaptureRef, KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { ItemRef, ItemState } from "../domain/item.ts";
import { FIELD_STATUSES, type JudgedRecord } from "../domain/record.ts";
import { extract } from "../pipeline/extract.ts";
import { judge, type Judged } from "../pipeline/judge.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { amendItem, type AmendTools, type ItemAmendment, type ReadItem } from "./amend-item.ts";
import { compareItems, type Difference, newDifference } from "./difference.ts";

/** What a thread is told of an item. */
export interface StoredItem {
  readonly ref: ItemRef;
  readonly key: string;
  /** Only where items are amended. */
  readonly input?: unknown;
  /** Place in the list of scrapers. */
  readonly scraper: number;
  readonly pages: readonly CaptureRef[];
  /** How it ended in the set that is compared with, and how many bytes of `before` are its records there. */
  readonly stateBefore: ItemState;
  /** How it ends unless reading it fails. */
  readonly stateOnceRead: "done" | "skipped";
  readonly bytesBefore: number;
  /** The object in which they are. */
  readonly blobBefore: string;
}

/** Neighbouring items, worked through together. */
export interface Chunk {
  readonly items: readonly StoredItem[];
  /** Their records in the set that is compared with, one after the other. */
  readonly before: Uint8Array<ArrayBuffer>;
  /** Items that ended a thread: they are not tried again. By place. */
  readonly ended: ReadonlyMap<number, string>;
}

export interface ChunkEnd {
  /** The new records, in the order of the items. */
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly failed: readonly FailedItem[];
  readonly counts: ExtractionCounts;
  /** Items whose pages cannot be read, though they had records before. */
  readonly lost: number;
  /** Why some records from before cannot be read: they count as none. */
  readonly unread?: string;
  /** For each scraper the counts in the order of its fields, see `countFields`. */
  readonly fieldCounts: readonly (readonly number[])[];
  readonly difference: Difference;
  /** One for each item, where they are amended; `lines` are then those of the items that are. */
  readonly amendments: readonly (ItemAmendment | undefined)[];
}

export interface ChunkTools {
  readonly blobs: Blobs;
  readonly job: string;
  readonly scrapers: readonly ExtractionScraper[];
  /** Examples kept for each kind of change. */
  readonly most: number;
  /** The job's items themselves get what is made of their pages. */
  readonly amend?: AmendTools;
  /** Hears which item comes next, so that one that never ends can be told from outside. */
  readonly onItem: (at: number) => void;
  /** After the last item. */
  readonly onEnd: () => void;
}

interface ExtractionScraper {
  readonly ready: CompiledScraper;
  /** Before the names of its fields; empty for the job's root. */
  readonly prefix: string;
}

interface ItemEnd {
  readonly lines: readonly string[];
  readonly failure?: Failure;
  readonly isDamaged?: boolean;
  readonly judged?: Judged;
  readonly pages?: readonly KeptPage[];
}

/** Reads, extracts and judges the items of a chunk, and compares their records with those they had. */
export const extractChunk = async (tools: ChunkTools, chunk: Chunk): Promise<ChunkEnd> => {
  const { scrapers, most } = tools;
  const bytes = await readRanges(
    tools.blobs,
    chunk.items.flatMap(({ pages }) => pages),
  );
  const counts = { items: 0, done: 0, partial: 0, failed: 0, damaged: 0, records: 0 };
  const fieldCounts = scrapers.map(({ ready }) => countsFor(ready));
  const difference = newDifference();
  let lost = 0;
  let unread: string | undefined;
  const failed: FailedItem[] = [];
  const lines: string[] = [];
  const amendments: (ItemAmendment | undefined)[] = [];
  const before = Buffer.from(chunk.before.buffer, chunk.before.byteOffset, chunk.before.byteLength);
  let beforeAt = 0;
  for (const [at, item] of chunk.items.entries()) {
    tools.onItem(at);
    const { ready, prefix } = scrapers[item.scraper]!;
    const end = endItem(tools, ready, item, bytes, chunk.ended.get(at));
    counts.items++;
    counts.records += end.lines.length;
    if (end.failure) {
      counts.failed++;
      if (end.isDamaged) counts.damaged++;
      if (end.isDamaged && item.bytesBefore > 0) lost++;
      failed.push({ key: item.key, scraper: ready.scraper.name, failure: end.failure });
    } else {
      counts.done++;
      if (end.judged?.quality === "partial") counts.partial++;
      add(fieldCounts[item.scraper]!, end.judged?.fieldCounts ?? []);
    }
    const text = before.toString("utf8", beforeAt, (beforeAt += item.bytesBefore));
    const records = end.lines.map((line) => JSON.parse(line) as JudgedRecord);
    let old: readonly JudgedRecord[] = [];
    try {
      old = readBefore(item, text, end.lines, records);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      unread ??= error.message;
    }
    const amendment = tools.amend && amendItem(tools.amend, readItem(item, end, old));
    if (tools.amend) amendments.push(amendment);
    if (!tools.amend || amendment) for (const line of end.lines) lines.push(line);
    compareItems(
      difference,
      item.key,
      { state: item.stateBefore, records: old },
      { state: end.failure ? "failed" : item.stateOnceRead, records },
      { most, prefix },
    );
  }
  tools.onEnd();
  const text = lines.length > 0 ? `${lines.join("\n")}\n` : "";
  return {
    lines: new TextEncoder().encode(text),
    failed,
    counts,
    lost,
    ...(unread !== undefined && { unread }),
    fieldCounts,
    difference,
    amendments,
  };
};

const readItem = (item: StoredItem, end: ItemEnd, before: readonly JudgedRecord[]): ReadItem => ({
  key: item.key,
  input: item.input,
  scraper: item.scraper,
  was: item.stateBefore === "failed" ? "failed" : item.stateOnceRead,
  before,
  pages: end.pages,
  lines: end.lines,
  judged: end.judged,
  failure: end.failure,
});

const endItem = (
  { job }: ChunkTools,
  { extraction, scraper, version }: CompiledScraper,
  { key, pages }: StoredItem,
  bytes: ReadonlyMap<CaptureRef, Uint8Array | Error>,
  ended: string | undefined,
): ItemEnd => {
  if (ended !== undefined) return { lines: [], failure: { kind: "scraper-error", detail: ended } };
  const kept = openPages(pages, bytes);
  if ("failure" in kept) return { lines: [], ...kept };
  const opened = { pages: kept.pages };
  // Of a scraper that only leads to others there is nothing to extract.
  if (!extraction) return { ...opened, lines: [] };
  const raw = extract(extraction, kept.pages);
  if ("failure" in raw) return { ...opened, lines: [], failure: raw.failure };
  const judged = judge(raw.records, extraction, { job, key, scraper: scraper.name, version });
  return { ...opened, lines: judged.lines, judged, ...(judged.failure && { failure: judged.failure }) };
};

const openPages = (
  refs: readonly CaptureRef[],
  bytes: ReadonlyMap<CaptureRef, Uint8Array | Error>,
): { readonly pages: readonly KeptPage[] } | { readonly failure: Failure; readonly isDamaged: boolean } => {
  try {
    return {
      pages: refs.map((ref) => {
        const stored = bytes.get(ref)!;
        if (stored instanceof Error) throw stored;
        return storedPage(ref.name, openCapture(ref, stored));
      }),
    };
  } catch (error) {
    if (isStorageError(error))
      return { failure: { kind: "bad-content", detail: error.message }, isDamaged: true };
    if (error instanceof BodyError)
      return { failure: { kind: error.kind, detail: error.message }, isDamaged: false };
    throw error;
  }
};

/** Most records are as they were: those are not parsed twice. */
const readBefore = (
  { key, blobBefore }: StoredItem,
  text: string,
  lines: readonly string[],
  records: readonly JudgedRecord[],
): JudgedRecord[] => {
  const old = text.split("\n");
  if (old.at(-1) === "") old.pop(); // after the last line end
  return old.map((line, n) =>
    isSameText(line, lines[n]) ? records[n]! : parseRecord(line, blobBefore, key),
  );
};

/** Whether two lines say the same from the page's name on: only the version before it differs, and most often nothing else does. */
const isSameText = (before: string, after: string | undefined): boolean => {
  if (after === undefined) return false;
  const [was, is] = [before.indexOf(FROM), after.indexOf(FROM)];
  return (
    was >= 0 && is >= 0 && before.length - was === after.length - is && after.endsWith(before.slice(was))
  );
};
const FROM = ',"from":"';

const countsFor = ({ extraction }: CompiledScraper): number[] =>
  Array.from({ length: (extraction?.fieldNames.length ?? 0) * FIELD_STATUSES.length }, () => 0);

const add = (into: number[], counts: readonly number[]): void => {
  for (const [at, count] of counts.entries()) into[at] = (into[at] ?? 0) + count;
};
