import { randomBytes } from "node:crypto";
import type { JobSpec } from "../model/job.ts";
import type { FieldStatus } from "../model/record.ts";
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

/**
 * `extraction.json`: what one run of extraction over a job's stored pages made. Written last: an extraction is complete exactly when
 * this is there.
 */
export interface StoredExtraction {
  readonly id: string;
  readonly job: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Those of the job's scrapers whose items were extracted. */
  readonly scrapers: readonly ExtractingScraper[];
  readonly counts: ExtractionCounts;
  readonly fieldCounts: Readonly<Record<string, StatusCounts>>;
  /** JSONL objects with the records, in the ledger's order of items. */
  readonly segments: readonly string[];
  /** JSONL objects with the items that failed, in the same order. */
  readonly failures: readonly string[];
}

const folderOf = (job: string): string => `jobs/${job}/extractions/`;
const LAST = "extraction.json";

export const extractionBlob = (job: string, id: string, name: string = LAST): string =>
  `${folderOf(job)}${id}/${name}`;

/** Those that are complete, oldest first: the last one is current. */
export const listExtractions = async (blobs: Blobs, job: string): Promise<StoredExtraction[]> => {
  const found: StoredExtraction[] = [];
  for await (const { name } of blobs.list(folderOf(job)))
    if (name.endsWith(`/${LAST}`))
      found.push(JSON.parse(Buffer.from(await blobs.get(name)).toString()) as StoredExtraction);
  return found.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
};

/** A job's spec with the fields that its scrapers had in an extraction. */
export const specOf = (spec: JobSpec, extraction: StoredExtraction | undefined): JobSpec => {
  if (!extraction) return spec;
  const scrapers = spec.scrapers.map((pinned) => {
    const now = extraction.scrapers.find(({ was }) => was === pinned.name);
    return now ? { ...pinned, fields: now.fields, required: now.required, extracts: true } : pinned;
  });
  return { ...spec, scrapers, extracts: true };
};

const DAY_MS = 24 * 3_600_000;

/** Removes what extractions that were killed have left behind. A day is left for those that still run. */
export const sweepExtractions = async (blobs: Blobs, job: string, now: number): Promise<void> => {
  const folder = folderOf(job);
  const left = new Map<string, string[]>();
  const complete = new Set<string>();
  for await (const { name } of blobs.list(folder)) {
    const id = name.slice(folder.length).split("/", 1)[0]!;
    if (name.endsWith(`/${LAST}`)) complete.add(id);
    if (left.has(id)) left.get(id)!.push(name);
    else left.set(id, [name]);
  }
  for (const [id, names] of left)
    if (!complete.has(id) && now - beganAt(id) > DAY_MS) for (const name of names) await blobs.remove(name);
};

/** Like a job's id: sorts by time, and its last part can be read aloud. */
export const extractionId = (at: number): string => {
  const time = new Date(at).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const tail = [...randomBytes(4)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  return `${time}-${tail}`;
};

const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

const beganAt = (id: string): number => {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(id) ?? [];
  const [year = 0, month = 0, ...rest] = parts.map(Number);
  return Date.UTC(year, month - 1, ...(rest as [number, number, number, number]));
};
