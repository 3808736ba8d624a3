import type { FailureKind } from "../domain/failure.ts";
import type { ItemView } from "../domain/item.ts";
import type { FailureTally } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import { type Difference, mergeDifference, newDifference } from "./difference.ts";
import type { ChunkEnd } from "./extract-chunk.ts";
import type { FailedItem } from "./extracted-records.ts";
import type { CurrentScraper } from "./extraction-scrapers.ts";
import type { ExtractionCounts, StatusCounts } from "./stored-extraction.ts";

/** What all chunks came to, added up in the order of the items. */
export class ExtractionTally {
  readonly difference: Difference = newDifference();
  /** The first items that failed. */
  readonly failed: FailedItem[] = [];
  readonly counts: { -readonly [Name in keyof ExtractionCounts]: number } = {
    items: 0,
    done: 0,
    partial: 0,
    failed: 0,
    damaged: 0,
    records: 0,
  };
  /** See `ChunkEnd`. */
  lost = 0;
  unread: string | undefined;
  readonly replaces: {
    done: number;
    partial: number;
    readonly failed: Partial<Record<FailureKind, number>>;
  } = {
    done: 0,
    partial: 0,
    failed: {},
  };
  readonly #kinds = new Map<FailureKind, FailureTally>();
  readonly #most: number;
  readonly #fieldCounts: number[][] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** An item that is read, as the run has left it. */
  addReplaced({ state, quality, failure }: ItemView): void {
    if (state === "done") this.replaces.done++;
    if (state === "done" && quality === "partial") this.replaces.partial++;
    if (state === "failed" && failure)
      this.replaces.failed[failure.kind] = (this.replaces.failed[failure.kind] ?? 0) + 1;
  }

  /** Of the items that failed, by kind, the most frequent first. */
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

  /** By field, those of other scrapers than the root under `scraper.field`. */
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
