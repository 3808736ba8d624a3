import { randomBytes } from "node:crypto";
import { chunksOf } from "../archive/stored-bytes.ts";
import { FAILURE_KINDS, failureInfo } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";
import { revisionOf, versionIn } from "../domain/job-version.ts";
import { type JobSpec, type JobView, timedId } from "../domain/job.ts";
import { type AmendedItem, LedgerError } from "../ports/ledger.ts";
import { jobScrapers, loadPinned } from "../scrapers/load-pinned.ts";
import type { Chunk, ChunkEnd } from "./extract-chunk.ts";
import { ExtractPool, type ExtractStores } from "./extract-pool.ts";
import { pagesOf } from "../archive/extracted-records.ts";
import { itemChunks } from "./item-chunks.ts";
import { runRecords } from "../archive/record-set.ts";

interface AmendOptions {
  readonly cores: number;
  readonly signal: AbortSignal;
  /**
   * Only items with this version of the root, which was rolled back. The result of the current version always replaces theirs,
   * and items without pages are fetched again.
   */
  readonly takenBack?: string;
  /** Receives the number of items read so far. */
  readonly onProgress?: (items: number) => void;
  /** Receives the output of scrapers. */
  readonly onOutput?: (text: string) => void;
}

/** The result of reading a job's stored pages with the versions that it is now pinned to. */
export interface Amended {
  /** Items whose pages were read. */
  readonly items: number;
  readonly done: number;
  /** Number of done items that had failed before. */
  readonly rescued: number;
  readonly failed: number;
  /** Read again, still skipped. */
  readonly skipped: number;
  /** Items that keep an earlier version's result, because the new one reads less of their pages. */
  readonly kept: number;
  /** Failed items without pages: they are fetched again. */
  readonly putBack: number;
}

const SEGMENT_BYTES = 8 * 1024 * 1024;
const SEGMENT_ITEMS = 5000;
const KEYS = 500;
const RETRIED = FAILURE_KINDS.filter((kind) => failureInfo(kind).isRetriedByNewVersion);

/**
 * Reads the stored pages of a job that was pinned to other versions, and updates its items with the results. If it is stopped, what it has
 * stored stays, and the next call continues with the rest. When it returns, the job may be resumed.
 */
export const amendJob = async (
  storage: ExtractStores,
  { spec }: JobView,
  options: AmendOptions,
): Promise<Amended> => {
  const { ledger, blobs, location } = storage;
  const { cores, signal, takenBack, onProgress, onOutput } = options;
  const takesAll = takenBack !== undefined;
  const revision = spec.pastCanary?.revision ?? 0;
  const scrapers = jobScrapers(await loadPinned(spec, blobs), spec.scrapers);
  const writer = new AmendWriter(storage, spec);
  await using pool = new ExtractPool({
    threads: cores,
    task: { location, spec, most: 0, isAmending: true, takesAll },
    versions: scrapers.map(({ ready }) => ready.version),
    ...(onOutput && { onOutput }),
  });
  const isOld = (item: ItemView): boolean => {
    const place = spec.scrapers.findIndex(({ name }) => name === item.scraper);
    const isOther = item.version !== spec.scrapers[place]?.version;
    return isOther && (!takesAll || item.version === versionIn(spec, revision, place));
  };
  const again: string[] = [];
  const scraperOf = (item: ItemView): number | undefined => {
    const place = spec.scrapers.findIndex(({ name }) => name === item.scraper);
    const hasPages = pagesOf(item).length > 0;
    if (!isOld(item) || place < 0) return undefined;
    const mayRepeat = !scrapers[place]!.ready.scraper.once;
    if (takesAll && (item.state === "absent" || (item.state === "failed" && !hasPages))) {
      if (mayRepeat) again.push(item.key);
      return undefined;
    }
    // Skipped without a quality: the answer was another item's failure.
    if (item.state !== "failed") return hasPages && item.quality !== undefined ? place : undefined;
    if (item.failure?.kind === "structure-changed" && hasPages) return place;
    const isRetried = item.failure && failureInfo(item.failure.kind).isRetriedByNewVersion;
    if ((isRetried || takesAll) && mayRepeat) again.push(item.key);
    return undefined;
  };
  const set = runRecords(blobs, spec.id, () => undefined);
  const states = ["done", "failed", "skipped", ...(takesAll ? ["absent" as const] : [])] as const;
  const chunks = itemChunks({ ledger, job: spec.id, set, states, scraperOf, withInputs: true });
  await pool.run(chunks, signal, async (end, chunk) => {
    await writer.add(chunk, end);
    onProgress?.(writer.counts.items);
  });
  await writer.flush();
  const putBack = await putItemsBack(storage, spec.id, again, takesAll);
  // The new version may have higher limits.
  await unlessEnded(ledger.raiseCaps(spec.id, {}));
  await ledger.amendItems(spec.id, revisionOf(spec), [], true);
  return { ...writer.counts, putBack };
};

/** A job whose budget or time is up accepts nothing. */
const unlessEnded = async <Reply>(reply: Promise<Reply>): Promise<Reply | undefined> => {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof LedgerError && error.code === "job-ended") return undefined;
    throw error;
  }
};

const putItemsBack = async (
  { ledger }: ExtractStores,
  job: string,
  keys: readonly string[],
  takesAll: boolean,
): Promise<number> => {
  let count = 0;
  for (let from = 0; from < keys.length; from += KEYS) {
    const some = {
      keys: keys.slice(from, from + KEYS),
      ...(takesAll ? { isAbsentToo: true } : { kinds: RETRIED }),
    };
    count += (await unlessEnded(ledger.retryItems(job, some))) ?? 0;
  }
  return count;
};

/** Stores records first, then updates the ledger with their places. */
class AmendWriter {
  readonly counts = { items: 0, done: 0, rescued: 0, failed: 0, skipped: 0, kept: 0 };
  readonly #storage: ExtractStores;
  readonly #job: string;
  readonly #revision: number;
  readonly #folder: string;
  #segments = 0;
  #lines: Uint8Array[] = [];
  #bytes = 0;
  #items: AmendedItem[] = [];

  constructor(storage: ExtractStores, spec: JobSpec) {
    this.#storage = storage;
    this.#job = spec.id;
    this.#revision = revisionOf(spec);
    this.#folder = `jobs/${spec.id}/versions/${timedId(Date.now(), randomBytes(4))}`;
  }

  async add({ items }: Chunk, { lines, amendments }: ChunkEnd): Promise<void> {
    const blob = this.#blob();
    let offset = this.#bytes;
    for (const [at, { ref, stateBefore }] of items.entries()) {
      const amendment = amendments[at];
      this.counts.items++;
      if (!amendment) {
        this.counts.kept++;
        continue;
      }
      const { bytes, ...rest } = amendment;
      this.counts[rest.outcome.state]++;
      if (rest.outcome.state === "done" && stateBefore === "failed") this.counts.rescued++;
      this.#items.push({ ...ref, ...rest, records: bytes > 0 ? { blob, offset, length: bytes } : null });
      offset += bytes;
    }
    this.#lines.push(lines);
    this.#bytes += lines.length;
    if (this.#bytes >= SEGMENT_BYTES || this.#items.length >= SEGMENT_ITEMS) await this.flush();
  }

  async flush(): Promise<void> {
    const [lines, items, blob] = [this.#lines, this.#items, this.#blob()];
    const isEmpty = this.#bytes === 0;
    [this.#lines, this.#items, this.#bytes] = [[], [], 0];
    if (items.length === 0) return;
    if (!isEmpty) {
      this.#segments++;
      await this.#storage.blobs.put(blob, chunksOf(lines));
    }
    await this.#storage.ledger.amendItems(this.#job, this.#revision, items);
  }

  #blob(): string {
    return `${this.#folder}/records-${String(this.#segments).padStart(5, "0")}.jsonl`;
  }
}
