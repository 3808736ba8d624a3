import type { JobSpec, PinnedScraper } from "./job.ts";
import type { Pace } from "./pace.ts";
import { FIELD_STATUSES } from "./record.ts";

/** How often the job has gone on with changed scrapers; every result says in which revision it was made. */
export const revisionOf = ({ earlier }: Pick<JobSpec, "earlier">): number => earlier?.length ?? 0;

/** Of the scraper at this place, as it was in a revision of the job. */
export const versionIn = (
  { earlier = [], scrapers }: Pick<JobSpec, "earlier" | "scrapers">,
  revision: number,
  scraper: number,
): string | undefined => (earlier[revision] ?? scrapers.map(({ version }) => version))[scraper];

/** Of each of its scrapers, the version that the job is pinned to, and those that it has had before. */
export const versionsOf = ({
  scrapers,
  earlier = [],
}: Pick<JobSpec, "earlier" | "scrapers">): { name: string; version: string; earlier?: string[] }[] =>
  scrapers.map(({ name, version }, at) => {
    const had = new Set(earlier.flatMap((versions) => versions[at] ?? []));
    had.delete(version);
    return { name, version, ...(had.size > 0 && { earlier: [...had] }) };
  });

/** What a job takes over from its scrapers as they are now. */
export interface JobPins {
  /** Those that the job has, in its order, then those that are new. */
  readonly scrapers: readonly PinnedScraper[];
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly maxDepth: number;
}

/** The job with its scrapers as they are now. What is stored must be read again with them before anything is fetched. */
export const withNewPins = (spec: JobSpec, pins: JobPins): JobSpec => {
  const scrapers = pins.scrapers.map((now, at) => {
    const was = spec.scrapers[at];
    return was ? { ...now, pace: slower(was.pace, now.pace), ...higherChain(was, now) } : now;
  });
  const { source, version, pace, policy } = scrapers[0]!;
  return {
    ...spec,
    ...pins,
    maxDepth: Math.max(spec.maxDepth, pins.maxDepth),
    scrapers,
    source,
    version,
    pace,
    policy,
    earlier: [...(spec.earlier ?? []), spec.scrapers.map((one) => one.version)],
    isAmending: true,
  };
};

/** The job may have been started with a lower rate than its scraper's: a changed scraper can only lower it further. */
const slower = (was: Pace, now: Pace): Pace => ({
  perSecond: Math.min(was.perSecond, now.perSecond),
  burst: Math.min(was.burst, now.burst),
  concurrency: Math.min(was.concurrency, now.concurrency),
});

/** Limits of a job may have been raised, and are only ever raised. */
const higherChain = (was: PinnedScraper, now: PinnedScraper): Pick<PinnedScraper, "maxChain"> =>
  was.maxChain !== undefined && now.maxChain !== undefined
    ? { maxChain: Math.max(was.maxChain, now.maxChain) }
    : {};

/** Counts of fields, moved to the places that the fields have now. Those of fields that are gone are dropped. */
export const movedCounts = (
  counts: readonly number[],
  before: readonly string[],
  now: readonly string[],
): number[] =>
  now.flatMap((field) => {
    const at = before.indexOf(field);
    return FIELD_STATUSES.map((_, status) =>
      at < 0 ? 0 : (counts[at * FIELD_STATUSES.length + status] ?? 0),
    );
  });
