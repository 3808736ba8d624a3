import type { JobSpec } from "./job.ts";

/** Infinity has no JSON: an unpaced job is written with a null rate. */
export const writeSpec = (spec: JobSpec): string =>
  JSON.stringify(spec, (name, value: unknown) => (name === "perSecond" && value === Infinity ? null : value));

export const parseSpec = (text: string): JobSpec => {
  const spec = JSON.parse(text, (name, value: unknown) =>
    MAY_BE_INFINITE.has(name) ? (value ?? Infinity) : value,
  ) as JobSpec | Omit<JobSpec, NewInEmit>;
  if ("scrapers" in spec) return spec;
  const { scraper: name, source, version, pace, policy, fields, required } = spec;
  const root = { name, source, version, pace, policy, extracts: fields.length > 0, fields, required };
  return { ...spec, scrapers: [root], extracts: true, maxDepth: 0 };
};

const MAY_BE_INFINITE = new Set(["perSecond", "maxItems", "maxDepth", "maxChain"]);
/** What jobs of the first version of the ledger do not say: they have one scraper, which emits nothing. */
type NewInEmit = "scrapers" | "extracts" | "maxDepth";
