import { dateFields } from "../scrapers/compiled-scraper.ts";
import { type FailedItem, isExtractable, openRecordSet, pagesOf } from "../archive/extracted-records.ts";
import {
  type ExtractingScraper,
  extractionBlob,
  extractionId,
  readSets,
  ReextractError,
  type StoredExtraction,
  sweepExtractions,
} from "../archive/extractions.ts";
import type { RecordSet } from "../archive/record-set.ts";
import { isStorageError, type OnDamage } from "../archive/stored-bytes.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec, JobView } from "../domain/job.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Difference } from "./difference.ts";
import { ExtractPool, type ExtractStores } from "./extract-pool.ts";
import { type CurrentScraper, loadCurrentScrapers } from "./extraction-scrapers.ts";
import { ExtractionTally, ExtractionWriter, whyNotCurrent } from "./extraction-writer.ts";
import { itemChunks } from "./item-chunks.ts";

export interface ExtractOptions {
  /** A scraper file to use instead of the job's own. */
  readonly scraper?: string;
  /** The stored version of the job's scraper to use, whatever its file says. */
  readonly version?: string | undefined;
  readonly cores: number;
  /** Examples of each kind of change. */
  readonly examples: number;
  /** Makes the new set current even if nothing was extracted or pages could not be read. */
  readonly isForced?: boolean;
  readonly signal: AbortSignal;
  /** Receives the number of extracted items. */
  readonly onProgress?: (items: number) => void;
  /** Receives the output of scrapers. */
  readonly onOutput?: (text: string) => void;
  /** How long one item may take. */
  readonly itemMs?: number;
}

export interface Extracted {
  readonly extraction: StoredExtraction;
  /** The set of records that is current now: this one, unless it lost values, or another was started or chosen later. */
  readonly current: string;
  /** The set of records that was current before, and how the new one differs. */
  readonly before: string;
  readonly difference: Difference;
  /** Why some of the previous records could not be read: they count as none. */
  readonly unread?: string;
  /** The first items that failed. */
  readonly failed: readonly FailedItem[];
  /** Scrapers of the job that no longer exist: their items stay as the run left them. */
  readonly gone: readonly string[];
}

/**
 * Makes a new set of a job's records from its stored pages, with its scrapers as they are now. The new set exists only when all of it is
 * stored. See `JobSets` for which one is current.
 */
export const extractJob = async (
  { ledger, blobs, location }: ExtractStores,
  { spec, pagesRemoved }: JobView,
  options: ExtractOptions,
): Promise<Extracted> => {
  const { cores, examples, signal, onProgress, onOutput, itemMs } = options;
  const startedAt = Date.now();
  const { current: scrapers, gone } = await loadCurrentScrapers(
    spec,
    { instead: options.scraper, version: options.version },
    blobs,
  );
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
      ...(options.version !== undefined && { version: options.version }),
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
    // As the ledger has it, regardless of earlier extractions.
    if (place !== undefined && isExtractable(item, pinned[place]!)) {
      tally.addReplaced(item);
      return place;
    }
    hasOtherPages ||= pagesOf(item).length > 0;
    return undefined;
  };

  let extraction: StoredExtraction;
  try {
    const chunks = itemChunks({ ledger, job: spec.id, set: before, scraperOf });
    await pool.run(chunks, signal, async (end, { items }) => {
      hasPages ||= items.some(({ pages }) => pages.length > 0);
      await writer.records(end.lines);
      await writer.failures(end.failed);
      tally.add(end);
      onProgress?.(tally.counts.items);
    });
    if (!hasPages && pagesRemoved && !hasOtherPages) throw pagesGone(spec.id, pagesRemoved.at);
    if (!hasPages) throw hasOtherPages ? nothingToExtract(spec, pinned) : nothingStored(spec.id);
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
  }
  // Checked after the write: a removal in between has not seen the extraction.
  if (!(await ledger.readJob(spec.id))) {
    await blobs.remove(extractionBlob(spec.id, extraction.id));
    await writer.abandon();
    throw new ReextractError("nothing-stored", `${spec.id}: the job was removed during the extraction.`);
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

/** Unreadable records count as absent: this extraction makes them again. */
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
  dates: dateFields(ready),
  emits: ready.emits.length > 0,
});

const pagesGone = (job: string, at: number): ReextractError =>
  new ReextractError(
    "nothing-stored",
    `${job}: its pages were removed on ${new Date(at).toISOString().slice(0, 10)} (\`--keep records\` or the scraper's \`retention.pages\`), ` +
      "so there is nothing to extract. Its records stay as they are; run the scraper again for new ones.",
  );

const nothingStored = (job: string): ReextractError =>
  new ReextractError(
    "nothing-stored",
    `${job}: no pages are stored for its items, so there is nothing to extract. \`sluice items ls\` shows how they ended.`,
  );

const nothingToExtract = ({ id }: JobSpec, scrapers: readonly ExtractingScraper[]): ReextractError =>
  new ReextractError(
    "nothing-to-extract",
    `${id}: pages are stored, but none of them belong to an item of ${scrapers.map(({ was }) => was).join(" or ")} that can have records. ` +
      "`sluice items ls` shows how its items ended.",
  );
