import { fileURLToPath } from "node:url";
import type { JobSpec, PinnedScraper } from "../domain/job.ts";
import { fieldPrefix } from "../domain/record.ts";
import { deployedSource } from "../scrapers/bundle.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import type { ScraperStore } from "../scrapers/stored-scrapers.ts";
import { compileScraper, type CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { ReextractError } from "../archive/extractions.ts";

/** A job's scraper as it is now, with its name in the job. */
export interface CurrentScraper {
  readonly was: string;
  readonly ready: CompiledScraper;
  /** Prefix of its field names; see `fieldPrefix`. */
  readonly prefix: string;
}

interface CurrentScrapers {
  readonly current: readonly CurrentScraper[];
  /** Scrapers that no longer exist: their items stay as the run left them. */
  readonly gone: readonly string[];
}

interface Wanted {
  /** A scraper file in place of the job's scraper of the same name, or its root; the others may then be missing. */
  readonly instead?: string | undefined;
  /** The stored version of the root, whatever its file says. */
  readonly version?: string | undefined;
}

/** The job's scrapers that extract, as their files are now. */
export const loadCurrentScrapers = async (
  spec: Pick<JobSpec, "id" | "scraper" | "source" | "scrapers">,
  { instead, version }: Wanted = {},
  store?: ScraperStore,
): Promise<CurrentScrapers> => {
  const given = instead === undefined ? undefined : await load(instead);
  const isForTarget = spec.scrapers.findIndex(({ name }) => name === given?.scraper.name) > 0;
  const source = version === undefined ? spec.source : deployedSource(spec.scraper);
  const root = given && !isForTarget ? given : await loadIfThere(source, store, version);
  const current: CurrentScraper[] = [];
  const gone: string[] = [];
  for (const [at, pinned] of spec.scrapers.entries()) {
    const { name } = pinned;
    const ready = at === 0 ? root : await findTarget(pinned, given, root, store);
    if (!ready && !given) throw scraperGone(spec.id, pinned, root);
    if (!ready) gone.push(name);
    else {
      refuseUnkept(spec.id, ready);
      if (ready.extraction) current.push({ was: name, ready, prefix: fieldPrefix(spec.scraper, name) });
    }
  }
  if (current.length > 0) return { current, gone };
  throw new ReextractError(
    "no-extract",
    `${spec.id}: scraper ${root?.scraper.name ?? spec.scraper} has no \`extract\` block, so its pages cannot be extracted. ` +
      "Add one, or name another scraper with --scraper FILE.",
  );
};

/** As a target of the root, or else from its own file. */
const findTarget = async (
  { name, source }: PinnedScraper,
  given: CompiledScraper | undefined,
  root: CompiledScraper | undefined,
  store: ScraperStore | undefined,
): Promise<CompiledScraper | undefined> => {
  if (name === given?.scraper.name) return given;
  const known = root?.targets.get(name);
  if (known) return known;
  const own = await loadIfThere(source, store);
  return own?.scraper.name === name ? own : own?.targets.get(name);
};

const load = async (named: string, store?: ScraperStore, version?: string): Promise<CompiledScraper> =>
  await compileScraper(await loadScraper(named, store, version));

const loadIfThere = async (
  source: string,
  store?: ScraperStore,
  version?: string,
): Promise<CompiledScraper | undefined> =>
  await load(source, store, version).catch((error: unknown) => {
    if (error instanceof ScraperLoadError && error.code === "unknown-scraper") return undefined;
    throw error;
  });

const scraperGone = (
  job: string,
  { name, source }: PinnedScraper,
  root: CompiledScraper | undefined,
): ReextractError => {
  const file = source.startsWith("file:") ? fileURLToPath(source) : source;
  return new ReextractError(
    "scraper-gone",
    root
      ? `${job}: some items are of scraper ${name}, which ${root.scraper.name} no longer emits to and ${file} does not contain. ` +
          `Restore it, or name its file with --scraper FILE.`
      : `${job}: the file of its scraper ${name} does not exist (${file}). Restore it, or name another one with --scraper FILE.`,
  );
};

const refuseUnkept = (job: string, { scraper }: CompiledScraper): void => {
  if (scraper.archive === "none")
    throw new ReextractError(
      "nothing-stored",
      `${job}: scraper ${scraper.name} stores no pages (\`archive: "none"\`), so they cannot be extracted again. ` +
        "Remove that line and run the job again to store them.",
    );
};
