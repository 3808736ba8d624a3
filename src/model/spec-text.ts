import type { JobSpec } from "./job.ts";

/** Infinity has no JSON: what has no limit is written as null. */
export const writeSpec = (spec: JobSpec): string => JSON.stringify(spec);

export const parseSpec = (text: string): JobSpec => {
  const spec = JSON.parse(text) as JobSpec | Omit<JobSpec, NewInEmit>;
  infiniteAgain(spec);
  if ("scrapers" in spec) return spec;
  const { scraper: name, source, version, pace, policy, fields, required } = spec;
  const root = { name, source, version, pace, policy, extracts: fields.length > 0, fields, required };
  return { ...spec, scrapers: [root], extracts: true, maxDepth: 0 };
};

const MAY_BE_INFINITE = ["perSecond", "maxItems", "maxDepth", "maxChain"];

/** A job, a scraper of it, or a pace. Thousands of jobs may be listed: looking at every value of a text takes ten times as long. */
const infiniteAgain = (part: object): void => {
  const values = part as Record<string, unknown>;
  for (const name of MAY_BE_INFINITE) if (values[name] === null) values[name] = Infinity;
  for (const name of ["pace", "sitePace"]) if (values[name]) infiniteAgain(values[name]);
  for (const scraper of (values["scrapers"] ?? []) as object[]) infiniteAgain(scraper);
};

/** What jobs of the first version of the ledger do not say: they have one scraper, which emits nothing. */
type NewInEmit = "scrapers" | "extracts" | "maxDepth";
