import { fieldPrefix } from "../model/field-prefix.ts";
import type { JobSpec } from "../model/job.ts";
import type { ReadyScraper } from "./ready-scraper.ts";

/** A job as a worker runs it. */
export interface LoadedJob {
  readonly spec: JobSpec;
  readonly scrapers: readonly JobScraper[];
}

/** A scraper with its place in a job. */
export interface JobScraper {
  readonly ready: ReadyScraper;
  /** Its place among the job's scrapers; the root has 0. */
  readonly index: number;
  /** Where its first field stands among the job's fields. */
  readonly fieldsAt: number;
  /** Before the names of its fields, see `fieldPrefix`. */
  readonly prefix: string;
}

/**
 * The root, then those that it emits to, in the order in which a job pins them. A job that has pinned some keeps their places, by which its items
 * name them; those that are new come last.
 */
export const jobScrapers = (
  root: ReadyScraper,
  pinned: readonly { readonly name: string }[] = [],
): readonly JobScraper[] => {
  let fieldsAt = 0;
  const placeOf = ({ scraper }: ReadyScraper): number => {
    const at = pinned.findIndex(({ name }) => name === scraper.name);
    return at < 0 ? pinned.length : at;
  };
  const all = [root, ...root.targets.values()].toSorted((a, b) => placeOf(a) - placeOf(b));
  return all.map((ready, index) => {
    const prefix = fieldPrefix(root.scraper.name, ready.scraper.name);
    const place = { ready, index, fieldsAt, prefix };
    fieldsAt += ready.extraction?.fieldNames.length ?? 0;
    return place;
  });
};

/** The job's fields, as its counts are kept and its breaker watches them. */
export const jobFields = (
  scrapers: readonly JobScraper[],
): { readonly fields: readonly string[]; readonly required: readonly string[] } => {
  const named = (of: "fieldNames" | "required") =>
    scrapers.flatMap(({ ready, prefix }) => (ready.extraction?.[of] ?? []).map((name) => prefix + name));
  return { fields: named("fieldNames"), required: named("required") };
};
