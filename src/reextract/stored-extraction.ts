import { randomBytes } from "node:crypto";
import type { FailureKind } from "../domain/failure.ts";
import { type FailureTally, type JobSpec, timedId, timeOfId } from "../domain/job.ts";
import type { FieldStatus } from "../domain/record.ts";
import type { Blobs } from "../ports/blobs.ts";

/** How often a field had each status, over all records of an extraction. */
export type StatusCounts = Readonly<Record<FieldStatus, number>>;

/** A scraper as it was when it extracted. */
export interface ExtractingScraper {
  /** The name under which the job knows it: what its items are marked with. */
  readonly was: string;
  readonly name: string;
  readonly source: string;
  readonly version: string;
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly dates?: readonly string[];
  /** See `isExtractable`. */
  readonly emits: boolean;
}

export interface ExtractionCounts {
  /** Items whose pages were read. */
  readonly items: number;
  readonly done: number;
  /** Of those done, how many have a record with a required field missing or malformed. */
  readonly partial: number;
  readonly failed: number;
  /** Of those failed, how many because their stored bytes cannot be read. */
  readonly damaged: number;
  readonly records: number;
}

export interface ReplacedCounts {
  readonly done: number;
  readonly partial: number;
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
}

/**
 * `extraction.json`: what one run of extraction over a job's stored pages made. Written last: an extraction is complete exactly when
 * this is there.
 */
export interface StoredExtraction {
  readonly id: string;
  readonly job: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why it was not to take the place of the records before it, which then stay current. */
  readonly notCurrent?: string;
  /** Those of the job's scrapers whose items were extracted. */
  readonly scrapers: readonly ExtractingScraper[];
  readonly counts: ExtractionCounts;
  readonly fieldCounts: Readonly<Record<string, StatusCounts>>;
  /** Of the items that failed. This and `replaces` are not in extractions of older versions of Sluice. */
  readonly failed?: readonly FailureTally[];
  /** How the run had left the items that were read. */
  readonly replaces?: ReplacedCounts;
  /** JSONL objects with the records, in the ledger's order of items. */
  readonly segments: readonly string[];
  /** JSONL objects with the items that failed, in the same order. */
  readonly failures: readonly string[];
  /** `sha256:<hex>` of each of those objects; absent in extractions of older versions of Sluice. */
  readonly digests?: Readonly<Record<string, string>>;
}

export const extractionFolder = (job: string): string => `jobs/${job}/extractions/`;
const LAST = "extraction.json";

export const extractionBlob = (job: string, id: string, name: string = LAST): string =>
  `${extractionFolder(job)}${id}/${name}`;

/** A job's spec with the fields that its scrapers had in an extraction. */
export const specOf = (spec: JobSpec, extraction: StoredExtraction | undefined): JobSpec => {
  if (!extraction) return spec;
  const scrapers = spec.scrapers.map((pinned) => {
    const now = extraction.scrapers.find(({ was }) => was === pinned.name);
    if (!now) return pinned;
    const { fields, required, dates = [] } = now;
    return { ...pinned, fields, required, dates, extracts: true };
  });
  return { ...spec, scrapers, extracts: true };
};

const DAY_MS = 24 * 3_600_000;

/** Removes what extractions that were killed have left behind. A day is left for those that still run. */
export const sweepExtractions = async (blobs: Blobs, job: string, now: number): Promise<void> => {
  const folder = extractionFolder(job);
  const left = new Map<string, string[]>();
  const complete = new Set<string>();
  for await (const { name } of blobs.list(folder)) {
    const [id = "", inside] = name.slice(folder.length).split("/");
    if (inside === undefined) continue; // what a person chose
    if (name.endsWith(`/${LAST}`)) complete.add(id);
    if (left.has(id)) left.get(id)!.push(name);
    else left.set(id, [name]);
  }
  for (const [id, names] of left)
    if (!complete.has(id) && now - timeOfId(id) > DAY_MS) for (const name of names) await blobs.remove(name);
};

export const extractionId = (at: number): string => timedId(at, randomBytes(4));
