import { randomBytes } from "node:crypto";
import type { FailureKind } from "../domain/failure.ts";
import { type FailureTally, type JobSpec, timedId, timeOfId } from "../domain/job.ts";
import type { FieldStatus } from "../domain/record.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ArchiveError, openSealedJson, sealJson } from "./stored-bytes.ts";

/** How often a field had each status, over all records of an extraction. */
export type StatusCounts = Readonly<Record<FieldStatus, number>>;

/** A scraper as it was when it extracted. */
export interface ExtractingScraper {
  /** The scraper's name in the job: what its items carry. */
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
  /** Of those done, how many have a record with a missing or malformed required field. */
  readonly partial: number;
  readonly failed: number;
  /** Of those failed, how many because their stored bytes are damaged. */
  readonly damaged: number;
  readonly records: number;
}

interface ReplacedCounts {
  readonly done: number;
  readonly partial: number;
  readonly failed: Readonly<Partial<Record<FailureKind, number>>>;
}

/** `extraction.json`: the result of one extraction over a job's stored pages. Written last: an extraction is complete if and only if it exists. */
export interface StoredExtraction {
  readonly id: string;
  readonly job: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why it did not become current. */
  readonly notCurrent?: string;
  /** The job's scrapers whose items were extracted. */
  readonly scrapers: readonly ExtractingScraper[];
  readonly counts: ExtractionCounts;
  readonly fieldCounts: Readonly<Record<string, StatusCounts>>;
  /** Failures by kind. This and `replaces` are absent in extractions of older versions of Sluice. */
  readonly failed?: readonly FailureTally[];
  /** States of these items as the run left them. */
  readonly replaces?: ReplacedCounts;
  /** JSONL objects with the records, in the ledger's order of items. */
  readonly segments: readonly string[];
  /** JSONL objects with the items that failed, in the same order. */
  readonly failures: readonly string[];
  /** `sha256:<hex>` of each of those objects; absent in extractions of older versions of Sluice. */
  readonly digests?: Readonly<Record<string, string>>;
}

const extractionFolder = (job: string): string => `jobs/${job}/extractions/`;
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

/** Removes leftovers of killed extractions. Those younger than a day may still be running. */
export const sweepExtractions = async (blobs: Blobs, job: string, now: number): Promise<void> => {
  const folder = extractionFolder(job);
  const names = await Array.fromAsync(blobs.list(folder), ({ name }) => name);
  const parts = names.filter((name) => name.includes("/", folder.length)); // not the choice of a person
  for (const [id, own] of Map.groupBy(parts, (name) => name.slice(folder.length).split("/")[0]!))
    if (!own.includes(extractionBlob(job, id)) && now - timeOfId(id) > DAY_MS)
      for (const name of own) await blobs.remove(name);
};

export const extractionId = (at: number): string => timedId(at, randomBytes(4));

type ReextractErrorCode =
  | "nothing-stored"
  | "nothing-to-extract"
  | "no-extract"
  | "no-such-extraction"
  | "scraper-gone"
  | "scraper-hangs"
  | "changed-meanwhile"
  | "interrupted"
  | "does-not-fit"
  | "items-in-flight";

/** Why stored pages cannot be extracted again, or a set of records cannot be found. */
export class ReextractError extends Error {
  readonly code: ReextractErrorCode;
  constructor(code: ReextractErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ReextractError";
    this.code = code;
  }
}

/**
 * A job's sets of records. The current one is the extraction that *started* last, whichever ended last: it used the newer scraper. Extractions
 * with `notCurrent` do not count. A person's choice counts until a later extraction starts.
 */
export interface JobSets {
  /** The complete ones, in the order in which they started. */
  readonly extractions: readonly StoredExtraction[];
  /** Undefined if the records of the run itself are current. */
  readonly current: StoredExtraction | undefined;
}

interface Choice {
  /** `first` or an extraction's id. */
  readonly set: string;
  readonly at: number;
}

interface Found {
  readonly extractions: readonly StoredExtraction[];
  readonly damaged: readonly { readonly id: string; readonly error: ArchiveError }[];
  /** An error if it cannot be read. */
  readonly choice: Choice | ArchiveError | undefined;
}

/** Throws `ArchiveError` if the description of a set that may be current is damaged. */
export const readSets = async (blobs: Blobs, job: string): Promise<JobSets> => {
  const found = await readAll(blobs, job);
  return { extractions: found.extractions, current: currentOf(found) };
};

/** By `first`, `current`, or an extraction's id, its beginning or its last part; undefined for the records of the run itself. */
export const findSet = async (
  blobs: Blobs,
  job: string,
  which: string,
): Promise<StoredExtraction | undefined> => {
  if (which === "first") return undefined;
  const found = await readAll(blobs, job);
  if (which === "current") return currentOf(found);
  const isNamed = ({ id }: { readonly id: string }): boolean =>
    which !== "" && (id.startsWith(which) || id.endsWith(`-${which}`));
  const [damaged] = found.damaged.filter(isNamed);
  const named = found.extractions.filter(isNamed);
  if (named.length === 1 && !damaged) return named[0];
  if (damaged && named.length === 0) throw damaged.error;
  throw new ReextractError(
    "no-such-extraction",
    `${job}@${which}: ${named.length > 0 ? "several extractions match" : "no such extraction"}. ` +
      `This job has: ${["first", ...found.extractions.map(({ id }) => id)].join(", ")}.`,
  );
};

/** Makes a set of records current: `first`, or an extraction as `findSet` finds it. */
export const chooseSet = async (blobs: Blobs, job: string, which: string, at: number): Promise<string> => {
  const set = (await findSet(blobs, job, which))?.id ?? "first";
  await blobs.put(choiceBlob(job), sealJson({ set, at } satisfies Choice));
  return set;
};

const currentOf = ({ extractions, damaged, choice }: Found): StoredExtraction | undefined => {
  const newest = extractions.findLast(({ notCurrent }) => notCurrent === undefined);
  const beganAt = newest?.startedAt ?? -Infinity;
  if (choice instanceof ArchiveError) throw choice;
  const chosen = choice && choice.at >= beganAt ? choice : undefined;
  const since = chosen?.at ?? beganAt;
  const unknown = damaged.find(({ id }) => timeOfId(id) > since || id === chosen?.set);
  if (unknown) throw unknown.error;
  if (chosen?.set === "first") return undefined;
  return extractions.find(({ id }) => id === chosen?.set) ?? newest;
};

const choiceBlob = (job: string): string => `${extractionFolder(job)}chosen.json`;

const readAll = async (blobs: Blobs, job: string): Promise<Found> => {
  const extractions: StoredExtraction[] = [];
  const damaged: { readonly id: string; readonly error: ArchiveError }[] = [];
  let choice: Found["choice"];
  const folder = extractionFolder(job);
  for await (const { name } of blobs.list(folder)) {
    const [id = "", last] = name.slice(folder.length).split("/");
    if (name === choiceBlob(job)) choice = await readJson<Choice>(blobs, name);
    if (last === undefined || name !== extractionBlob(job, id)) continue;
    const extraction = await readJson<StoredExtraction>(blobs, name);
    if (extraction instanceof ArchiveError) damaged.push({ id, error: extraction });
    else extractions.push(extraction);
  }
  extractions.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  return { extractions, damaged, choice };
};

const readJson = async <Shape extends object>(blobs: Blobs, name: string): Promise<Shape | ArchiveError> => {
  const bytes = await blobs.get(name);
  try {
    return openSealedJson<Shape>(bytes);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return new ArchiveError(
      name,
      `${name}: it cannot be read, so the current set of records is unknown. Restore it from a backup, extract again with ` +
        "`sluice extract`, or choose a set with `sluice extract JOB --use first`.",
      { cause },
    );
  }
};
