import type { JobSpec, PinnedScraper } from "../model/job.ts";
import type { Ledger } from "../ports/ledger.ts";
import { jobScrapers, type LoadedJob } from "./job-scrapers.ts";
import { loadScraper } from "./load-scraper.ts";
import { type ReadyScraper, readyScraper } from "./ready-scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";

/** A job's root scraper in the version that it is pinned to, and with it those that it emits to; throws when any of them is another. */
export const loadPinned = async ({
  id,
  source,
  scrapers,
  extracts,
}: Pick<JobSpec, "id" | "source" | "scrapers" | "extracts">): Promise<ReadyScraper> => {
  const root = await readyScraper(await loadScraper(source), { extracts });
  const now = jobScrapers(root, scrapers);
  const isSame = ({ name, version }: PinnedScraper, index: number): boolean =>
    now[index]?.ready.scraper.name === name && now[index].ready.version === version;
  // A file's change is one of those that import it too: the last in the list is where it was made.
  const changed = scrapers.findLastIndex((one, index) => !isSame(one, index));
  const was = scrapers[changed];
  if (was) throw changedScraper(id, was.name, was.version, now[changed]?.ready.version ?? "none");
  return root;
};

const KEPT_JOBS = 256;

/** Scrapers by job and revision, each loaded once and held against the version that the job is pinned to. */
export const jobLoader = (
  ledger: Pick<Ledger, "readJob">,
  /** Where the code of its root is on this machine. */
  sourceOf: (spec: JobSpec) => Promise<string> = async ({ source }) => source,
): ((job: string, revision: number) => Promise<LoadedJob>) => {
  const loaded = new Map<string, Promise<LoadedJob>>();
  const load = async (id: string): Promise<LoadedJob> => {
    const job = await ledger.readJob(id);
    if (!job) throw new ScraperLoadError("unknown-scraper", `${id}: no such job`);
    const { spec } = job;
    const root = await loadPinned({ ...spec, source: await sourceOf(spec) });
    return { spec, scrapers: jobScrapers(root, spec.scrapers) };
  };
  return (id, revision) => {
    const name = `${id} ${revision}`;
    const known = loaded.get(name);
    if (known) return known;
    const ready = load(id);
    loaded.set(name, ready);
    // The file may be put back, and the job resumed.
    ready.catch(() => loaded.delete(name));
    if (loaded.size > KEPT_JOBS) loaded.delete(loaded.keys().next().value!);
    return ready;
  };
};

const changedScraper = (job: string, scraper: string, was: string, is: string): ScraperLoadError =>
  new ScraperLoadError(
    "changed-scraper",
    `${job}: scraper ${scraper} was changed: its version is ${is}, and the job is pinned to ${was}. ` +
      "Resume the job with the new version, or put the old file back.",
  );
