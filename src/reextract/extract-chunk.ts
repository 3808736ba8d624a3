import { type Capture, openCapture, readRanges } from "../archive/read-capture.ts";
import { parseRecord } from "../archive/record-set.ts";
import type { FailedItem } from "../archive/extracted-records.ts";
import type { ExtractionCounts } from "../archive/extractions.ts";
import { isStorageError } from "../archive/stored-bytes.ts";
import type { CaptureRef, KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import type { ItemRef, ItemState } from "../domain/item.ts";
import { FIELD_STATUSES, type JudgedRecord } from "../domain/record.ts";
import { discover, extract } from "../pipeline/extract.ts";
import { judge, type Judged } from "../pipeline/judge.ts";
import { type LaneOf, planFound } from "../pipeline/plan.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { AmendedItem } from "../ports/ledger.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { JobScraper } from "../scrapers/load-pinned.ts";
import { compareItems, type Difference, newDifference } from "./difference.ts";

/** An item as a thread gets it. */
export interface StoredItem {
  readonly ref: ItemRef;
  readonly key: string;
  /** Only if items are amended. */
  readonly input?: unknown;
  /** Index in the list of scrapers. */
  readonly scraper: number;
  readonly pages: readonly CaptureRef[];
  /** Its state in the set that is compared with. */
  readonly stateBefore: ItemState;
  /** Its state unless reading it fails. */
  readonly stateOnceRead: "done" | "skipped";
  /** The length of its records in the chunk's `before`, and the object that holds them. */
  readonly bytesBefore: number;
  readonly blobBefore: string;
}

/** Neighboring items, processed together. */
export interface Chunk {
  readonly items: readonly StoredItem[];
  /** Their concatenated records in the set that is compared with. */
  readonly before: Uint8Array<ArrayBuffer>;
  /** Items that killed a thread, by place, with the cause: they are not tried again. */
  readonly ended: ReadonlyMap<number, string>;
}

export interface ChunkEnd {
  /** The new records, in the order of the items. */
  readonly lines: Uint8Array<ArrayBuffer>;
  readonly failed: readonly FailedItem[];
  readonly counts: ExtractionCounts;
  /** Items whose pages cannot be read although they had records. */
  readonly lost: number;
  /** Why some previous records cannot be read: they count as none. */
  readonly unread?: string;
  /** For each scraper, the counts in the order of its fields; see `countFields`. */
  readonly fieldCounts: readonly (readonly number[])[];
  readonly difference: Difference;
  /** If items are amended, one entry for each; `lines` then has only the records of those that change. */
  readonly amendments: readonly (ItemAmendment | undefined)[];
}

/** The result of another version of a scraper for an item; `bytes` of the chunk's lines are its records. */
type ItemAmendment = Omit<AmendedItem, "queue" | "seq" | "records"> & { readonly bytes: number };

/** All of a job's scrapers, and how lanes are named: stored pages may lead to new items. */
interface AmendTools {
  readonly scrapers: readonly JobScraper[];
  readonly laneOf: LaneOf;
  /** Also replaces results that this version reads worse than the previous one. */
  readonly takesAll: boolean;
}

export interface ChunkTools {
  readonly blobs: Blobs;
  readonly job: string;
  readonly scrapers: readonly ExtractionScraper[];
  /** Examples kept for each kind of change. */
  readonly most: number;
  /** Set if the job's own items are updated. */
  readonly amend?: AmendTools;
  /** Decodes a stored response. */
  readonly pageOf: (name: string, capture: Capture) => KeptPage | { readonly failure: Failure };
  /** Called before each item, so that a hanging one can be identified from outside. */
  readonly onItem: (at: number) => void;
  /** Called after the last item. */
  readonly onEnd: () => void;
}

interface ExtractionScraper {
  readonly ready: CompiledScraper;
  /** Prefix of its field names; empty for the job's root. */
  readonly prefix: string;
}

interface ItemEnd {
  readonly lines: readonly string[];
  readonly failure?: Failure;
  readonly isDamaged?: boolean;
  readonly judged?: Judged;
  readonly pages?: readonly KeptPage[];
}

/** Reads, extracts and judges the items of a chunk, and compares their records with the previous ones. */
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
    const amendment = tools.amend && amendItem(tools.amend, item, end, old);
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

/**
 * Undefined if the item stays as it is: its pages cannot be read, or this version reads less of them than the previous one. A site may have
 * changed during the job, and the version for its new pages need not read the old ones.
 */
const amendItem = (
  { scrapers, laneOf, takesAll }: AmendTools,
  { key, input, scraper, stateBefore, stateOnceRead }: StoredItem,
  { pages, lines, judged, ...end }: ItemEnd,
  before: readonly JudgedRecord[],
): ItemAmendment | undefined => {
  const { ready, fieldsAt } = scrapers[scraper]!;
  const was = stateBefore === "failed" ? "failed" : stateOnceRead;
  if (pages === undefined || (!ready.extraction && before.length > 0)) return undefined;
  const found = end.failure ? undefined : discover(ready.emits, pages, input);
  const failure = end.failure ?? (found && "failure" in found ? found.failure : undefined);
  const quality = judged?.quality ?? "complete";
  const wasComplete = before.every((record) => record.quality === "complete");
  const isWorse = failure !== undefined || (quality === "partial" && wasComplete);
  if (was !== "failed" && isWorse && !takesAll) return undefined;
  const names = ready.extraction?.fieldNames ?? [];
  // Skipped items are not counted.
  const less = was === "done" ? countsOf(before, names) : [];
  const more = failure || was === "skipped" ? [] : (judged?.fieldCounts ?? []);
  const own = Array.from(
    { length: names.length * FIELD_STATUSES.length },
    (_, n) => (more[n] ?? 0) - (less[n] ?? 0),
  );
  return {
    outcome: failure
      ? { state: "failed", failure }
      : { state: was === "skipped" ? "skipped" : "done", quality },
    bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
    fieldCounts: [...Array.from({ length: fieldsAt * FIELD_STATUSES.length }, () => 0), ...own],
    ...planFound(found && "found" in found ? found.found : [], scrapers, key, laneOf),
  };
};

const countsOf = (records: readonly JudgedRecord[], names: readonly string[]): number[] =>
  names.flatMap((name) =>
    FIELD_STATUSES.map(
      (status) =>
        records.filter(({ fields }) => Object.hasOwn(fields, name) && fields[name]!.status === status).length,
    ),
  );

const endItem = (
  { job, pageOf }: ChunkTools,
  { extraction, scraper, version }: CompiledScraper,
  { key, pages }: StoredItem,
  bytes: ReadonlyMap<CaptureRef, Uint8Array | Error>,
  ended: string | undefined,
): ItemEnd => {
  if (ended !== undefined) return { lines: [], failure: { kind: "scraper-error", detail: ended } };
  const kept = openPages(pages, bytes, pageOf);
  if ("failure" in kept) return { lines: [], ...kept };
  const opened = { pages: kept.pages };
  // A scraper that only emits has nothing to extract.
  if (!extraction) return { ...opened, lines: [] };
  const raw = extract(extraction, kept.pages);
  if ("failure" in raw) return { ...opened, lines: [], failure: raw.failure };
  const judged = judge(raw.records, extraction, { job, key, scraper: scraper.name, version });
  return { ...opened, lines: judged.lines, judged, ...(judged.failure && { failure: judged.failure }) };
};

const openPages = (
  refs: readonly CaptureRef[],
  bytes: ReadonlyMap<CaptureRef, Uint8Array | Error>,
  pageOf: ChunkTools["pageOf"],
): { readonly pages: readonly KeptPage[] } | { readonly failure: Failure; readonly isDamaged: boolean } => {
  const pages: KeptPage[] = [];
  try {
    for (const ref of refs) {
      const stored = bytes.get(ref)!;
      if (stored instanceof Error) throw stored;
      const page = pageOf(ref.name, openCapture(ref, stored));
      if ("failure" in page) return { ...page, isDamaged: false };
      pages.push(page);
    }
  } catch (error) {
    if (!isStorageError(error)) throw error;
    return { failure: { kind: "bad-content", detail: error.message }, isDamaged: true };
  }
  return { pages };
};

/** Most records are unchanged: those are not parsed twice. */
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

/** Whether two lines are equal from the page's name on: usually only the version before it differs. */
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
