import { type FailedItem, isExtractable, pagesOf } from "../archive/extracted-records.ts";
import {
  type ExtractingScraper,
  extractionBlob,
  extractionId,
  readSets,
  ReextractError,
  type StoredExtraction,
  sweepExtractions,
} from "../archive/extractions.ts";
import { openRecordSet, type RecordSet } from "../archive/record-set.ts";
import { isStorageError, type OnDamage } from "../archive/stored-bytes.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec, JobView } from "../domain/job.ts";
import { dateFields } from "../extraction/extract-spec.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Storage } from "../ports/storage.ts";
import type { Difference } from "./difference.ts";
import type { ChunkEnd } from "./extract-chunk.ts";
import { ExtractPool } from "./extract-pool.ts";
import { type CurrentScraper, loadCurrentScrapers } from "./extraction-scrapers.ts";
import { ExtractionTally, ExtractionWriter, whyNotCurrent } from "./extraction-writer.ts";
import { itemChunks } from "./item-chunks.ts";

export interface ExtractOptions {
  /** File of a scraper to use instead of the job's own. */
  readonly scraper?: string;
  readonly cores: number;
  /** Examples of each kind of change. */
  readonly examples: number;
  /** Makes the new set current even where it lost what was there before. */
  readonly isForced?: boolean;
  readonly signal: AbortSignal;
  /** Hears how many items are extracted. */
  readonly onProgress?: (items: number) => void;
  /** What scrapers print. */
  readonly onOutput?: (text: string) => void;
  /** How long one item may take. */
  readonly itemMs?: number;
}

export interface Extracted {
  readonly extraction: StoredExtraction;
  /** The set of records that is current now: this one, unless it was held back, or another began or was chosen after it. */
  readonly current: string;
  /** The set of records that was current before, and what has become of it. */
  readonly before: string;
  readonly difference: Difference;
  /** Why some of the records before could not be read: they count as none. */
  readonly unread?: string;
  /** The first items that failed. */
  readonly failed: readonly FailedItem[];
  /** Scrapers of the job that are gone: their items stay as the run left them. */
  readonly gone: readonly string[];
}

/** Chunks that are waiting, worked on or waiting to be written, for each thread: what bounds memory. */
const CHUNKS_A_THREAD = 6;

/**
 * Makes a new set of a job's records from its stored pages, with its scrapers as they are now, beside the sets that it has. The new one
 * exists when all of it is stored; stopped before that, it never was. See `JobSets` for which one is current.
 */
export const extractJob = async (
  { ledger, blobs, location }: Pick<Storage, "ledger" | "blobs" | "location">,
  { spec, pagesRemoved }: JobView,
  options: ExtractOptions,
): Promise<Extracted> => {
  const { cores, examples, signal, onProgress, onOutput, itemMs } = options;
  const startedAt = Date.now();
  const { current: scrapers, gone } = await loadCurrentScrapers(spec, options.scraper);
  const pinned = scrapers.map(pin);
  await sweepExtractions(blobs, spec.id, startedAt);
  let unread: string | undefined;
  await using before = await openBefore(blobs, spec.id, ({ message }) => void (unread ??= message));
  await using pool = new ExtractPool({
    threads: cores,
    task: {
      location,
      spec,
      most: examples,
      ...(options.scraper !== undefined && { instead: options.scraper }),
    },
    versions: scrapers.map(({ ready }) => ready.version),
    ...(onOutput && { onOutput }),
    ...(itemMs !== undefined && { itemMs }),
  });
  const writer = new ExtractionWriter(blobs, spec.id, extractionId(startedAt));
  const tally = new ExtractionTally(examples);
  let hasPages = false;
  let hasOtherPages = false;
  const placeOf = new Map(pinned.map(({ was }, at) => [was, at]));
  const scraperOf = (item: ItemView): number | undefined => {
    const place = placeOf.get(item.scraper);
    // As the ledger has it: what an earlier extraction made of it does not matter.
    if (place !== undefined && isExtractable(item, pinned[place]!)) {
      tally.addReplaced(item);
      return place;
    }
    hasOtherPages ||= pagesOf(item).length > 0;
    return undefined;
  };

  /** Ends are taken in the order of the items, whichever thread was first. */
  const running: Promise<ChunkEnd>[] = [];
  const takeOne = async (): Promise<void> => {
    const end = await running.shift()!;
    await writer.records(end.lines);
    await writer.failures(end.failed);
    tally.add(end);
    onProgress?.(tally.counts.items);
  };
  const stop = (): void => void pool[Symbol.asyncDispose]();
  signal.addEventListener("abort", stop, { once: true });
  let extraction: StoredExtraction;
  try {
    for await (const chunk of itemChunks({ ledger, job: spec.id, set: before, scraperOf })) {
      hasPages ||= chunk.items.some(({ pages }) => pages.length > 0);
      const end = pool.run(chunk);
      end.catch(() => undefined); // told by `takeOne`
      running.push(end);
      if (running.length >= cores * CHUNKS_A_THREAD) await takeOne();
    }
    while (running.length > 0) await takeOne();
    if (!hasPages && pagesRemoved && !hasOtherPages) throw pagesGone(spec.id, pagesRemoved.at);
    if (!hasPages) throw hasOtherPages ? nothingToExtract(spec, pinned) : nothingStored(spec.id);
    if (signal.aborted) throw new ReextractError("interrupted", `${spec.id}: stopped before its end`);
    const notCurrent = options.isForced ? undefined : whyNotCurrent(tally);
    extraction = await writer.finish({
      startedAt,
      endedAt: Date.now(),
      ...(notCurrent !== undefined && { notCurrent }),
      scrapers: pinned,
      counts: tally.counts,
      fieldCounts: tally.fieldCounts(scrapers),
      failed: tally.failures(),
      replaces: tally.replaces,
    });
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  // Put, and then looked: whoever removed the job in between has not seen it.
  if (!(await ledger.readJob(spec.id))) {
    await blobs.remove(extractionBlob(spec.id, extraction.id));
    await writer.abandon();
    throw new ReextractError(
      "nothing-stored",
      `${spec.id}: the job was removed while it was being extracted.`,
    );
  }
  unread ??= tally.unread;
  return {
    extraction,
    current: `${spec.id}@${(await readSets(blobs, spec.id)).current?.id ?? "first"}`,
    before: before.name,
    difference: tally.difference,
    failed: tally.failed,
    gone,
    ...(unread !== undefined && { unread }),
  };
};

/** What cannot be read of it counts as not there: making it again is the way to mend that. */
const openBefore = async (blobs: Blobs, job: string, onDamage: OnDamage): Promise<RecordSet> => {
  try {
    return await openRecordSet(blobs, job, "current", onDamage);
  } catch (error) {
    if (!isStorageError(error)) throw error;
    onDamage(error);
    return await openRecordSet(blobs, job, "first", onDamage);
  }
};

const pin = ({ was, ready }: CurrentScraper): ExtractingScraper => ({
  was,
  name: ready.scraper.name,
  source: ready.source,
  version: ready.version,
  fields: ready.extraction?.fieldNames ?? [],
  required: ready.extraction?.required ?? [],
  dates: dateFields(ready.extraction),
  emits: ready.emits.length > 0,
});

const pagesGone = (job: string, at: number): ReextractError =>
  new ReextractError(
    "nothing-stored",
    `${job}: its pages were removed on ${new Date(at).toISOString().slice(0, 10)} (\`--keep records\` or the scraper's \`retention.pages\`), ` +
      "so nothing can be extracted again. The records it has stay as they are; run the scraper again for new ones.",
  );

const nothingStored = (job: string): ReextractError =>
  new ReextractError(
    "nothing-stored",
    `${job}: no pages are stored for any of its items, so there is nothing to extract from. ` +
      "`sluice items ls` shows what came of them.",
  );

const nothingToExtract = ({ id }: JobSpec, scrapers: readonly ExtractingScraper[]): ReextractError =>
  new ReextractError(
    "nothing-to-extract",
    `${id}: pages are stored, but none of an item that ${scrapers.map(({ was }) => was).join(" or ")} could make a record of. ` +
      "`sluice items ls` shows what came of its items.",
  );
