import type { JobSpec, JobView, PinnedScraper } from "../domain/job.ts";
import { canaryRevision, fieldsIn, isOfCanary, revisionOf, versionsIn } from "../domain/job-version.ts";
import { fieldPrefix } from "../domain/record.ts";
import type { Retention } from "../domain/removal.ts";
import type { ClaimedItem, Ledger } from "../ports/ledger.ts";
import { retentionOf } from "./check-scraper.ts";
import { deployedSource, newestBundle } from "./bundle.ts";
import { ScraperLoadError } from "./check-scraper.ts";
import { loadScraper } from "./load-scraper.ts";
import { compileScraper, type CompiledScraper } from "./compiled-scraper.ts";
import type { AnyScraper } from "./scraper.ts";
import type { ScraperStore } from "./stored-scrapers.ts";

type PinnedJob = Pick<JobSpec, "id" | "scraper" | "source" | "scrapers" | "extracts">;

/**
 * A job's root scraper in the version that it is pinned to, and with it those that it emits to: from its file while that has this version, else from
 * the bundle in the store. Throws if neither has it.
 */
export const loadPinned = async <Job extends PinnedJob>(
  spec: Job,
  store?: ScraperStore,
  /** Where the code of its root is on this machine. */
  sourceOf: (spec: Job) => Promise<string> = async ({ source }) => source,
): Promise<CompiledScraper> => {
  try {
    return await loadFrom(spec, await sourceOf(spec), store);
  } catch (error) {
    if (!(error instanceof ScraperLoadError) || !store || !spec.source.startsWith("file:")) throw error;
    const { name, version } = spec.scrapers[0]!;
    if (!(await newestBundle(store, name, version))) throw error;
    return await loadFrom(spec, deployedSource(name), store);
  }
};

const loadFrom = async (
  { id, scrapers, extracts }: PinnedJob,
  source: string,
  store: ScraperStore | undefined,
): Promise<CompiledScraper> => {
  const root = await compileScraper(await loadScraper(source, store, scrapers[0]?.version), { extracts });
  const now = jobScrapers(root, scrapers);
  const isSame = ({ name, version }: PinnedScraper, index: number): boolean =>
    now[index]?.ready.scraper.name === name && now[index].ready.version === version;
  // A changed file also changes those that import it: the last in the list is the changed one.
  const changed = scrapers.findLastIndex((one, index) => !isSame(one, index));
  const was = scrapers[changed];
  if (was) throw changedScraper(id, was.name, was.version, now[changed]?.ready.version ?? "none");
  return root;
};

const KEPT_JOBS = 256;

/** The job as it is in one of its revisions. */
const inRevision = (spec: JobSpec, revision: number): JobSpec => {
  if (revision === revisionOf(spec)) return spec;
  if (spec.canary && revision === canaryRevision(spec)) return { ...spec, ...spec.canary };
  // Its versions changed after the claim: items in flight end with theirs.
  const versions = versionsIn(spec, revision);
  const scrapers = spec.scrapers
    .slice(0, versions.length)
    .map((one, at) => ({ ...one, version: versions[at]! }));
  return { ...spec, scrapers, fields: fieldsIn(spec, revision) };
};

/** Scrapers by job and revision, each loaded once and held against the version that the job is pinned to. */
export const jobLoader = (
  ledger: Pick<Ledger, "readJob">,
  /** Where the code of its root is on this machine. */
  sourceOf: (spec: JobSpec) => Promise<string> = async ({ source }) => source,
  store?: ScraperStore,
): ((item: PinnedItem) => Promise<LoadedJob>) => {
  const loaded = new Map<string, Promise<LoadedJob>>();
  const load = async (id: string, revision: number): Promise<LoadedJob> => {
    const job = await ledger.readJob(id);
    if (!job) throw new ScraperLoadError("unknown-scraper", `${id}: no such job`);
    const spec = inRevision(job.spec, revision);
    const root = await loadPinned(spec, store, sourceOf);
    return { spec, revision, scrapers: jobScrapers(root, spec.scrapers) };
  };
  const known = (id: string, revision: number): Promise<LoadedJob> => {
    const name = `${id} ${revision}`;
    const before = loaded.get(name);
    if (before) return before;
    const ready = load(id, revision);
    loaded.set(name, ready);
    // The file may be put back, and the job resumed.
    ready.catch(() => loaded.delete(name));
    if (loaded.size > KEPT_JOBS) loaded.delete(loaded.keys().next().value!);
    return ready;
  };
  return async ({ job, revision, key }) => {
    const own = await known(job, revision);
    const { canary } = own.spec;
    // A canary begins and ends with another revision of its job, so what was loaded for a revision says whether there is one.
    const isOther = canary !== undefined && revision === revisionOf(own.spec) && isOfCanary(canary, key);
    return isOther ? await known(job, canaryRevision(own.spec)) : own;
  };
};

type PinnedItem = Pick<ClaimedItem, "job" | "revision" | "key">;

const changedScraper = (job: string, scraper: string, was: string, is: string): ScraperLoadError =>
  new ScraperLoadError(
    "changed-scraper",
    `${job}: scraper ${scraper} was changed: its version is ${is}, and the job is pinned to ${was}. ` +
      "Resume the job with the new version, or put the old file back.",
  );

/** A job as a worker runs it. */
export interface LoadedJob {
  readonly spec: JobSpec;
  /** Of the job, or of its canary. */
  readonly revision: number;
  readonly scrapers: readonly JobScraper[];
}

/** A scraper with its place in a job. */
export interface JobScraper {
  readonly ready: CompiledScraper;
  /** Its place among the job's scrapers; the root has 0. */
  readonly index: number;
  /** Index of its first field among the job's fields. */
  readonly fieldsAt: number;
  /** Before the names of its fields, see `fieldPrefix`. */
  readonly prefix: string;
}

/**
 * The root, then those that it emits to, in the order in which a job pins them. A job keeps the places of its pinned scrapers, because its items
 * refer to them by place; new ones come last.
 */
export const jobScrapers = (
  root: CompiledScraper,
  pinned: readonly { readonly name: string }[] = [],
): readonly JobScraper[] => {
  let fieldsAt = 0;
  const placeOf = ({ scraper }: CompiledScraper): number => {
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

/**
 * How long a job's pages and records are kept: by the current setting of its scraper, or the one from the job's start if the scraper can no longer be
 * loaded. Each file is loaded once.
 */
export const retentionNow = (): ((view: JobView) => Promise<Retention | undefined>) => {
  const loaded = new Map<string, Promise<AnyScraper | undefined>>();
  const load = async (source: string): Promise<AnyScraper | undefined> => {
    try {
      return (await loadScraper(source)).scraper;
    } catch (error) {
      if (error instanceof ScraperLoadError) return undefined;
      throw error;
    }
  };
  return async ({ spec }) => {
    const loading = loaded.get(spec.source) ?? load(spec.source);
    loaded.set(spec.source, loading);
    const scraper = await loading;
    return scraper?.name === spec.scraper ? retentionOf(scraper.retention ?? {}) : spec.retention;
  };
};
