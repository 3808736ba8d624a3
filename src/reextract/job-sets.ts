import { ArchiveError, openSealedJson, sealJson } from "../archive/manifest.ts";
import { timeOfId } from "../domain/job.ts";
import type { Blobs } from "../ports/blobs.ts";
import { ReextractError } from "./reextract-error.ts";
import { extractionBlob, extractionFolder, type StoredExtraction } from "./stored-extraction.ts";

/**
 * A job's sets of records. Current is the extraction that *began* last, whichever ended last: it had the newer scraper. One that is held
 * back does not count; what a person chose counts from then on, until an extraction begins after that.
 */
export interface JobSets {
  /** Those that are complete, in the order in which they began. */
  readonly extractions: readonly StoredExtraction[];
  /** Undefined where the records of the run itself are current. */
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
  /** An error where it cannot be read. */
  readonly choice: Choice | ArchiveError | undefined;
}

/** Throws `ArchiveError` where the description of what may be the current one is damaged. */
export const readSets = async (blobs: Blobs, job: string): Promise<JobSets> => {
  const found = await readAll(blobs, job);
  return { extractions: found.extractions, current: currentOf(found) };
};

/** By `first`, `current`, or an extraction's id, a beginning of it or its last part; undefined for the records of the run itself. */
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
    `${job}@${which}: ${named.length > 0 ? "several extractions are named so" : "no such extraction"}. ` +
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
  let cause: unknown;
  try {
    return openSealedJson<Shape>(await blobs.get(name));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    cause = error;
  }
  return new ArchiveError(
    "damaged",
    name,
    `${name}: it cannot be read, so which records are current is not known. Put it back from a backup, extract again with ` +
      "`sluice extract`, or choose a set with `sluice extract JOB --use first`.",
    { cause },
  );
};
