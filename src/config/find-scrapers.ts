import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { page } from "../scrapers/page.ts";
import { ScraperLoadError } from "../scrapers/scraper-load-error.ts";
import { DEFAULT_SCRAPERS } from "./define-config.ts";
import { loadConfig, type Project } from "./load-config.ts";

const SCRAPER_FILE = /\.scraper\.[jt]s$/;
const EXTENSIONS = ["ts", "js"] as const;

/** The file or built-in that a person means by a path or a name, ready for `loadScraper`. */
export const resolveScraper = async (named: string): Promise<string> =>
  isTold(named) ? named : findScraper(named, await loadConfig());

/** Throws `ScraperLoadError` for a name that no scraper of the project has, or several have. */
export const findScraper = (named: string, config: Project | undefined): string => {
  if (isTold(named)) return named;
  const found = config === undefined ? besidesHere(named) : listScrapers(config).filter(isNamed(named));
  const [first, ...others] = found;
  if (first === undefined)
    throw new ScraperLoadError("unknown-scraper", `${named}: no such scraper. ${whatThereIs(config)}`);
  if (others.length > 0)
    throw new ScraperLoadError(
      "unknown-scraper",
      `${named}: several scrapers are named so: ${found.join(", ")}. Give the path of one of them.`,
    );
  return first;
};

/** Files of the project's scrapers, sorted; of all below the current folder where there is no configuration. */
export const listScrapers = (config: Project | undefined): string[] => {
  const folders = config === undefined ? [process.cwd()] : config.scrapers;
  return [...new Set(folders.flatMap((folder) => [...scrapersBelow(folder)]))].sort();
};

/** A path, a file URL or a built-in says all by itself. */
const isTold = (named: string): boolean => named === page.name || /^file:|[\\/]|\.[cm]?[jt]s$/.test(named);

const isNamed = (named: string) => (file: string) => nameOf(file) === named;

/** The name by which a scraper's file is found. */
const nameOf = (file: string): string => basename(file).replace(SCRAPER_FILE, "");

/** Without a configuration only the likely places are looked at: the current folder may be somebody's home. */
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

const whatThereIs = (config: Project | undefined): string => {
  const ways = `the path of a .ts or .js file, or the name of a built-in: ${page.name}.`;
  if (config === undefined) return `There is no sluice.config.ts here or above. Give ${ways}`;
  const names = listScrapers(config).map(nameOf);
  const shown = names.slice(0, SHOWN).join(", ") + (names.length > SHOWN ? ", …" : "");
  return names.length === 0
    ? `${config.scrapers.join(", ")} has no scrapers yet: \`sluice new scraper\` drafts one. Or give ${ways}`
    : `This project has: ${shown}. Or give ${ways}`;
};
