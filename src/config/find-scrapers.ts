import { existsSync, readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { OwnTroubleError } from "../domain/failure.ts";
import type { JobSpec } from "../domain/job.ts";
import { similarNames } from "../domain/known-options.ts";
import type { Ledger } from "../ports/ledger.ts";
import { jobLoader } from "../scrapers/load-pinned.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { page } from "../scrapers/page.ts";
import type { ScraperStore } from "../scrapers/stored-scrapers.ts";
import { DEFAULT_SCRAPERS } from "./define-config.ts";
import { loadConfig, type Project } from "./load-config.ts";

const SCRAPER_FILE = /\.scraper\.(?:[jt]s|json|ya?ml)$/;
const EXTENSIONS = ["ts", "js", "yaml", "yml", "json"] as const;

/** The source for `loadScraper`, by a path or a name. */
export const resolveScraper = async (named: string): Promise<string> =>
  isTold(named) ? named : await findScraper(named, await loadConfig());

/** The name that a scraper's file gives it; undefined where the file cannot be loaded. */
export type NameOf = (file: string) => Promise<string | undefined>;

const loadedName: NameOf = async (file) => {
  try {
    return (await loadScraper(file)).scraper.name;
  } catch {
    return undefined; // loading it by name reports why
  }
};

/**
 * Finds a scraper by its own `name`, else by the name of its file. Throws `ScraperLoadError` if there is none, or if two have the same name.
 */
export const findScraper = async (
  named: string,
  config: Project | undefined,
  nameOf: NameOf = loadedName,
): Promise<string> => {
  if (isTold(named)) return named;
  const files = config === undefined ? besidesHere(named) : listScrapers(config);
  const owners = await ownersOf(named, files, nameOf);
  const [only] = owners.length > 0 ? owners : filesNamed(named, files);
  if (only === undefined)
    throw new ScraperLoadError(
      "unknown-scraper",
      `${named}: no such scraper. ${await whatThereIs(named, config, nameOf)}`,
    );
  if (owners.length === 0) {
    const name = await nameOf(only);
    refuseNamesakes(name ?? named, name === undefined ? [only] : await ownersOf(name, files, nameOf));
  }
  return only;
};

/** Files whose scraper has this name. Files that do not mention it are loaded only if no other has it: a name may be computed. */
const ownersOf = async (named: string, files: readonly string[], nameOf: NameOf): Promise<string[]> => {
  const isLikely = (file: string): boolean => fileName(file) === named || mentions(file, named);
  const owners = async (some: readonly string[]): Promise<string[]> => {
    const names = await Promise.all(some.map(nameOf));
    return some.filter((_, at) => names[at] === named);
  };
  const likely = files.filter(isLikely);
  const found = await owners(likely);
  const all =
    found.length > 0 || likely.some((file) => fileName(file) === named)
      ? found
      : await owners(files.filter((file) => !likely.includes(file)));
  refuseNamesakes(named, all);
  return all;
};

const mentions = (file: string, name: string): boolean => {
  const text = readFileSync(file, "utf8");
  // YAML needs no quotes.
  return [`"${name}"`, `'${name}'`, `\`${name}\``, `name: ${name}`].some((part) => text.includes(part));
};

const filesNamed = (named: string, files: readonly string[]): readonly string[] => {
  const found = files.filter((file) => fileName(file) === named);
  if (found.length > 1)
    throw new ScraperLoadError(
      "unknown-scraper",
      `${named}: several files have this name: ${found.join(", ")}. Use the path of one of them, or the scraper's own name.`,
    );
  return found;
};

/** Jobs, records and the API know a scraper by its name alone. */
const refuseNamesakes = (name: string, files: readonly string[]): void => {
  if (files.length > 1)
    throw new ScraperLoadError(
      "bad-scraper",
      `${name}: several scrapers have this name: ${files.join(", ")}. Give each its own \`name\`.`,
    );
};

/** The project's scraper files, sorted; without a configuration, all below the current folder. */
export const listScrapers = (config: Project | undefined): string[] => {
  const folders = config === undefined ? [process.cwd()] : config.scrapers;
  return [...new Set(folders.flatMap((folder) => [...scrapersBelow(folder)]))].sort();
};

/** A path, a file URL or a built-in needs no search. */
const isTold = (named: string): boolean =>
  named === page.name || /^file:|[\\/]|\.(?:[cm]?[jt]s|json|ya?ml)$/.test(named);

/** A file may have another name than its scraper: both are found. */
export const fileName = (file: string): string => basename(file).replace(SCRAPER_FILE, "");

/** Without a configuration, only likely places are searched: the current folder may be a home folder. */
const besidesHere = (named: string): string[] =>
  [".", DEFAULT_SCRAPERS]
    .flatMap((folder) => [folder, join(folder, named)])
    .flatMap((folder) => EXTENSIONS.map((extension) => resolve(folder, `${named}.scraper.${extension}`)))
    .filter((file) => existsSync(file));

function* scrapersBelow(folder: string): Generator<string> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (SCRAPER_FILE.test(entry.name)) yield path;
    } else if (entry.name !== "node_modules" && !entry.name.startsWith(".")) yield* scrapersBelow(path);
  }
}

const SHOWN = 20;

const whatThereIs = async (named: string, config: Project | undefined, nameOf: NameOf): Promise<string> => {
  const ways = `the path of a .ts, .js, .json or .yaml file, or the name of a built-in: ${page.name}.`;
  if (config === undefined) return `There is no sluice.config.ts here or above. Use ${ways}`;
  const files = listScrapers(config);
  const names = await Promise.all(files.map(async (file) => (await nameOf(file)) ?? fileName(file)));
  const shown = names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? ", …" : "");
  const [similar] = similarNames(named, [...names, ...files.map(fileName)], 1);
  const meant = similar === undefined ? "" : `Did you mean ${similar}? `;
  return names.length === 0
    ? `${config.scrapers.join(", ")} has no scrapers yet: \`sluice new scraper\` drafts one. Or use ${ways}`
    : `${meant}This project has: ${shown}. Or use ${ways}`;
};

/**
 * For a worker on another machine than its controller: finds scrapers at the job's own path, else by name in the project of this machine, else in the
 * store. Where none has the job's version, it returns the items and slows down: other machines may have it.
 */
export const ownLoader = (
  ledger: Pick<Ledger, "readJob">,
  store?: ScraperStore,
): ReturnType<typeof jobLoader> => {
  const load = jobLoader(ledger, ownSource, store);
  return async (item) => {
    try {
      return await load(item);
    } catch (error) {
      if (!(error instanceof ScraperLoadError)) throw error;
      const detail = `${item.job}: this machine (${hostname()}) does not have the version of the scraper that the job is pinned to, and that version is not deployed. ${error.message}`;
      throw new OwnTroubleError(error.code, detail, { cause: error });
    }
  };
};

const ownSource = async ({ source, scraper }: JobSpec): Promise<string> =>
  !source.startsWith("file:") || existsSync(fileURLToPath(source))
    ? source
    : await findScraper(scraper, await loadConfig());
