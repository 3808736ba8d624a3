import type { JobSpec } from "./job.ts";

/** How an item is run. The order is kept by ledgers: new ones come last. Only `http` is built yet. */
export const COLLECTOR_KINDS = ["http", "browser", "recorded"] as const;

export type CollectorKind = (typeof COLLECTOR_KINDS)[number];

/** All that a job's items may need: those that are found on the way are of the same job. */
export const kindsOf = ({ scrapers }: Pick<JobSpec, "scrapers">): ReadonlySet<CollectorKind> =>
  new Set(scrapers.map(({ kind = "http" }) => kind));
