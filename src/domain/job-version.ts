import type { JobSpec, PinnedScraper } from "./job.ts";
import { narrowScraper } from "./narrow-ladder.ts";
import type { OptionNames } from "./known-options.ts";
import { FIELD_STATUSES } from "./record.ts";

/** How often the job has continued with changed scrapers; every result has the revision that made it. */
export const revisionOf = ({ earlier }: Pick<JobSpec, "earlier">): number => earlier?.length ?? 0;

/** Results of the canary have the revision after the job's own, which becomes the job's if the canary is promoted. */
export const canaryRevision = (spec: Pick<JobSpec, "earlier">): number => revisionOf(spec) + 1;

type Versions = Pick<JobSpec, "earlier" | "scrapers" | "canary">;

/** Of all scrapers, as they were in a revision of the job. */
export const versionsIn = (spec: Versions, revision: number): readonly string[] => {
  const { earlier = [], scrapers, canary } = spec;
  const isOfCanary = canary !== undefined && revision === canaryRevision(spec);
  return earlier[revision] ?? (isOfCanary ? canary.scrapers : scrapers).map(({ version }) => version);
};

/** Of the scraper at this place, as it was in a revision of the job. */
export const versionIn = (spec: Versions, revision: number, scraper: number): string | undefined =>
  versionsIn(spec, revision)[scraper];

/** How field counts of a revision are laid out. */
export const fieldsIn = (
  spec: Pick<JobSpec, "earlier" | "canary" | "fields" | "earlierFields">,
  revision: number,
): readonly string[] => {
  if (revision === revisionOf(spec)) return spec.fields;
  if (revision === canaryRevision(spec)) return spec.canary?.fields ?? spec.fields;
  return spec.earlierFields?.[revision] ?? spec.fields;
};

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

/** What a job copies from the current version of its scrapers. */
export interface JobPins {
  /** Those that the job has, in its order, then those that are new. */
  readonly scrapers: readonly PinnedScraper[];
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly maxDepth: number;
}

/** Pins of a canary, in the order of the job's scrapers. */
export interface JobCanary extends JobPins {
  /** Of the items, chosen by their keys. */
  readonly share: number;
}

/** Whether an item is run with the canary: the same items in every job and try, and others for every version. */
export const isOfCanary = ({ share, scrapers }: JobCanary, key: string): boolean => {
  let hash = 0x811c9dc5;
  for (const text of [scrapers[0]!.version, key])
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // FNV-1a alone spreads keys that differ in their last character badly over the upper bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32 < share;
};

/** How the versions of a job change while it runs, with the next claim. Items in flight end with theirs. */
export type VersionChange =
  | { readonly to: "canary"; readonly canary: JobCanary }
  /** Nothing more is run with the canary; its results have to be extracted again. */
  | { readonly to: "rolled-back" }
  /** The canary's versions become the job's. */
  | { readonly to: "promoted" }
  | { readonly to: "pins"; readonly pins: JobPins };

/** Undefined if there is nothing to change. */
export const changeVersions = (spec: JobSpec, change: VersionChange): JobSpec | undefined => {
  const { canary, ...rest } = spec;
  const present = spec.scrapers.map(({ version }) => version);
  const tried = canary ? [canary.scrapers.map(({ version }) => version)] : [];
  const earlier = [...(spec.earlier ?? []), present];
  switch (change.to) {
    case "canary":
      // The job's own revision changes too: workers remember what they have loaded by it.
      return { ...rest, ...takenBack(spec), earlier: [...earlier, ...tried], canary: change.canary };
    case "rolled-back":
      return canary && { ...rest, ...takenBack(spec), earlier: [...earlier, ...tried] };
    case "promoted":
      return canary && notAmending(withNewPins(rest, canary), spec);
    case "pins": {
      const isSame = change.pins.scrapers.every(({ version }, at) => version === present[at]);
      if (isSame && change.pins.scrapers.length === present.length && !canary) return undefined;
      const moved = notAmending(withNewPins(rest, change.pins), spec);
      return { ...moved, ...takenBack(spec, moved.earlierFields), earlier: [...earlier, ...tried] };
    }
    default:
      change satisfies never;
      return undefined;
  }
};

const takenBack = (
  spec: JobSpec,
  earlierFields = spec.earlierFields,
): Pick<JobSpec, "pastCanary" | "earlierFields"> => {
  const { canary, fields } = spec;
  if (!canary) return {};
  const revision = canaryRevision(spec);
  return {
    pastCanary: { revision, version: canary.scrapers[0]!.version },
    ...(!isSameList(canary.fields, fields) && {
      earlierFields: { ...earlierFields, [revision]: canary.fields },
    }),
  };
};

/** The job continues: items that have ended stay unchanged. */
const notAmending = ({ isAmending: _isAmending, ...now }: JobSpec, was: JobSpec): JobSpec => ({
  ...now,
  ...(was.isAmending && { isAmending: true }),
  ...(!isSameList(was.fields, now.fields) && {
    earlierFields: { ...now.earlierFields, [revisionOf(was)]: was.fields },
  }),
});

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);

/** The job with its current scrapers. Stored pages must be read again with them before anything is fetched. */
export const withNewPins = (spec: JobSpec, pins: JobPins): JobSpec => {
  const scrapers = pins.scrapers.map((now, at) => {
    const was = spec.scrapers[at];
    if (!was) return narrowScraper(now, spec.proxies);
    const sitePace = was.sitePace && slower(was.sitePace, now.pace);
    const pace = slower(was.pace, now.pace);
    return {
      ...narrowScraper(now, spec.proxies),
      pace,
      ...(sitePace && { sitePace }),
      ...higherChain(was, now),
    };
  });
  const { source, version, pace, policy } = scrapers[0]!;
  const { fields, required } = pins;
  return {
    ...spec,
    fields,
    required,
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

/** Field counts, moved to the current positions of the fields. Counts of removed fields are dropped. */
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

/** JSON has no Infinity: no limit is written as null. */
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
  if (values["canary"]) infiniteAgain(values["canary"]);
};

/** What jobs of the first version of the ledger lack: they have one scraper, which emits nothing. */
type NewInEmit = "scrapers" | "extracts" | "maxDepth";

/** How fast a lane may be used. `perSecond` may be Infinity: then no slots are booked, and only `concurrency` applies. */
export interface Pace {
  /** Requests per second, including hops and redirects; 2 by default. */
  readonly perSecond: number;
  /** Requests that may start at once, in excess of the even rate. Default 1; above 20 requests per second, as many as are due in 50 ms. */
  readonly burst: number;
  /** Items of the lane that may run at the same time, over all workers; 4 by default. */
  readonly concurrency: number;
}

export const PACE_OPTIONS: OptionNames<Pace> = { perSecond: true, burst: true, concurrency: true };

/** How an item is run. Ledgers store the position: new kinds come last. */
export const COLLECTOR_KINDS = ["http", "browser", "recording", "auto"] as const;

export type CollectorKind = (typeof COLLECTOR_KINDS)[number];

/** All kinds that a job's items may need, including found items. */
export const kindsOf = ({ scrapers }: Pick<JobSpec, "scrapers">): ReadonlySet<CollectorKind> =>
  new Set(scrapers.map(({ kind = "http" }) => kind));
