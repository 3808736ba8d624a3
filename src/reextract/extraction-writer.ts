import { createHash } from "node:crypto";
import type { FailedItem } from "../archive/extracted-records.ts";
import {
  extractionBlob,
  type ExtractionCounts,
  type StatusCounts,
  type StoredExtraction,
} from "../archive/extractions.ts";
import { chunksOf, sealJson } from "../archive/stored-bytes.ts";
import type { FailureKind } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";
import type { FailureTally } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import type { Blobs } from "../ports/blobs.ts";
import { type Difference, mergeDifference, newDifference } from "./difference.ts";
import type { ChunkEnd } from "./extract-chunk.ts";
import type { CurrentScraper } from "./extraction-scrapers.ts";

/** Like the archive's segments: large enough to be few, small enough for memory. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** Writes an extraction. It does not exist for readers before `finish`. */
export class ExtractionWriter {
  readonly #records: Segments;
  readonly #failures: Segments;
  readonly #blobs: Blobs;
  readonly #job: string;
  readonly #id: string;

  constructor(blobs: Blobs, job: string, id: string) {
    const name = (of: string) => (number: number) =>
      extractionBlob(job, id, `${of}-${String(number).padStart(5, "0")}.jsonl`);
    this.#records = new Segments(blobs, name("records"));
    this.#failures = new Segments(blobs, name("failures"));
    this.#blobs = blobs;
    this.#job = job;
    this.#id = id;
  }

  /** Lines of records, in the order of their items. Waits while a full segment is being stored. */
  async records(lines: Uint8Array): Promise<void> {
    await this.#records.add(lines);
  }

  async failures(items: readonly FailedItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#failures.add(Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join("")));
  }

  async finish(
    made: Omit<StoredExtraction, "id" | "job" | "segments" | "failures" | "digests">,
  ): Promise<StoredExtraction> {
    const extraction: StoredExtraction = {
      id: this.#id,
      job: this.#job,
      ...made,
      segments: await this.#records.end(),
      failures: await this.#failures.end(),
      digests: { ...this.#records.digests, ...this.#failures.digests },
    };
    await this.#blobs.put(extractionBlob(this.#job, this.#id), sealJson(extraction));
    return extraction;
  }

  /** Removes what was written. */
  async abandon(): Promise<void> {
    for (const name of [...this.#records.names, ...this.#failures.names]) await this.#blobs.remove(name);
  }
}

class Segments {
  readonly names: string[] = [];
  readonly digests: Record<string, string> = {};
  readonly #blobs: Blobs;
  readonly #nameOf: (number: number) => string;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(blobs: Blobs, nameOf: (number: number) => string) {
    this.#blobs = blobs;
    this.#nameOf = nameOf;
  }

  async add(lines: Uint8Array): Promise<void> {
    if (lines.length === 0) return;
    this.#parts.push(lines);
    this.#bytes += lines.length;
    if (this.#bytes >= SEGMENT_BYTES) await this.#store();
  }

  async end(): Promise<readonly string[]> {
    if (this.#parts.length > 0) await this.#store();
    return this.names;
  }

  async #store(): Promise<void> {
    const parts = this.#parts;
    const name = this.#nameOf(this.names.length);
    this.#parts = [];
    this.#bytes = 0;
    this.names.push(name);
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part);
    this.digests[name] = `sha256:${hash.digest("hex")}`;
    await this.#blobs.put(name, chunksOf(parts));
  }
}

/** The sum of all chunks, in the order of the items. */
export class ExtractionTally {
  readonly difference: Difference = newDifference();
  /** The first items that failed. */
  readonly failed: FailedItem[] = [];
  readonly counts = { items: 0, done: 0, partial: 0, failed: 0, damaged: 0, records: 0 };
  /** See `ChunkEnd`. */
  lost = 0;
  unread: string | undefined;
  readonly replaces = { done: 0, partial: 0, failed: {} as Partial<Record<FailureKind, number>> };
  readonly #kinds = new Map<FailureKind, FailureTally>();
  readonly #most: number;
  readonly #fieldCounts: number[][] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts an item that is read, as the run left it. */
  addReplaced({ state, quality, failure }: ItemView): void {
    if (state === "done") this.replaces.done++;
    if (state === "done" && quality === "partial") this.replaces.partial++;
    if (state === "failed" && failure)
      this.replaces.failed[failure.kind] = (this.replaces.failed[failure.kind] ?? 0) + 1;
  }

  /** Failed items by kind, the most frequent first. */
  failures(): FailureTally[] {
    return [...this.#kinds.values()].toSorted((a, b) => b.count - a.count);
  }

  add({ counts, failed, lost, unread, fieldCounts, difference }: ChunkEnd): void {
    this.lost += lost;
    this.unread ??= unread;
    for (const name of Object.keys(this.counts) as (keyof ExtractionCounts)[])
      this.counts[name] += counts[name];
    this.failed.push(...failed.slice(0, Math.max(0, this.#most - this.failed.length)));
    for (const { key, failure } of failed) {
      const known = this.#kinds.get(failure.kind);
      this.#kinds.set(failure.kind, {
        kind: failure.kind,
        count: (known?.count ?? 0) + 1,
        exampleKey: known?.exampleKey ?? key,
        exampleDetail: known?.exampleDetail ?? failure.detail,
      });
    }
    mergeDifference(this.difference, difference, this.#most);
    for (const [at, part] of fieldCounts.entries()) {
      const sums = (this.#fieldCounts[at] ??= part.map(() => 0));
      for (const [place, count] of part.entries()) sums[place] = (sums[place] ?? 0) + count;
    }
  }

  /** By field; fields of other scrapers than the root as `scraper.field`. */
  fieldCounts(scrapers: readonly CurrentScraper[]): Record<string, StatusCounts> {
    const byField: Record<string, StatusCounts> = {};
    for (const [at, { ready, prefix }] of scrapers.entries())
      for (const [place, name] of (ready.extraction?.fieldNames ?? []).entries()) {
        const from = place * FIELD_STATUSES.length;
        const counts = FIELD_STATUSES.map((status, n) => [status, this.#fieldCounts[at]?.[from + n] ?? 0]);
        byField[prefix + name] = Object.fromEntries(counts) as StatusCounts;
      }
    return byField;
  }
}

/** Why an extraction does not become current: it would replace values with blanks. */
export const whyNotCurrent = ({
  counts,
  lost,
}: Pick<ExtractionTally, "counts" | "lost">): string | undefined => {
  if (counts.done === 0) return "none of its items could be extracted";
  if (lost > 0)
    return `${lost === 1 ? "an item that has records" : `${lost} items that have records`} could not be read from the archive`;
  return undefined;
};
