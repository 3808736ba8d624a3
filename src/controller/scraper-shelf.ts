import { basename } from "node:path";
import { z } from "zod";
import { listScrapers } from "../config/find-scrapers.ts";
import type { Project } from "../config/load-config.ts";
import { type LoadedScraper, loadScraper } from "../scrapers/load-scraper.ts";
import { page } from "../scrapers/page.ts";
import { type ReadyScraper, readyScraper } from "../scrapers/ready-scraper.ts";
import { ScraperLoadError } from "../scrapers/scraper-load-error.ts";

/** The scrapers of an installation, by name. A name over the API is never a path. */
export interface ScraperShelf {
  /** Sorted. */
  names(): readonly string[];
  /** Throws `ScraperLoadError` for one that is not there or cannot be loaded. */
  find(name: string): Promise<ReadyScraper>;
  /** By where a job has it from: its file may have another name than it. */
  load(source: string): Promise<ReadyScraper>;
  /** How it fares with its fixtures; undefined where nobody looks. */
  readonly fixturesOf?: (source: string) => Promise<FixtureStatus>;
}

export interface FixtureStatus {
  readonly cases: number;
  readonly passed: number;
  /** Names of the cases that are not as expected. */
  readonly failed: readonly string[];
  /** Why they could not be tested at all. */
  readonly problem?: string;
}

const SCRAPER_FILE = /\.scraper\.[jt]s$/;

/** The built-ins, and the scrapers of the project. */
export const openShelf = (
  project: Project | undefined,
  options: Pick<ScraperShelf, "fixturesOf"> = {},
): ScraperShelf => {
  /** Compiled once for each version; a file that was changed has another. */
  const compiled = new Map<
    string,
    { readonly loaded: LoadedScraper; readonly ready: Promise<ReadyScraper> }
  >();
  const files = (): ReadonlyMap<string, string> =>
    new Map(
      (project ? listScrapers(project) : []).map((file) => [basename(file).replace(SCRAPER_FILE, ""), file]),
    );
  const load = async (source: string): Promise<ReadyScraper> => {
    const loaded = await loadScraper(source);
    const known = compiled.get(loaded.source);
    if (known?.loaded.scraper === loaded.scraper && known.loaded.version === loaded.version)
      return await known.ready;
    const ready = readyScraper(loaded);
    compiled.set(loaded.source, { loaded, ready });
    return await ready;
  };
  const names = (): readonly string[] => [...new Set([page.name, ...files().keys()])].sort();
  return {
    ...options,
    load,
    names,
    async find(name) {
      const source = name === page.name ? name : files().get(name);
      if (source === undefined)
        throw new ScraperLoadError(
          "unknown-scraper",
          `${name}: this installation has no such scraper. It has ${namesText(names())}.`,
        );
      return await load(source);
    },
  };
};

const SHOWN_NAMES = 20;

const namesText = (names: readonly string[]): string => {
  const rest = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(", ") + (rest > 0 ? ` and ${rest} more: GET /v1/scrapers` : "");
};

const PAGE_INPUT = {
  type: "object",
  properties: { url: { type: "string", format: "uri" } },
  required: ["url"],
};

/** What an input must look like, as JSON Schema; undefined where the scraper's schema cannot say it. */
export const inputSchemaOf = ({ scraper }: ReadyScraper): Record<string, unknown> | undefined => {
  if (scraper.name === page.name) return PAGE_INPUT;
  if (!("_zod" in scraper.input)) return undefined;
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(scraper.input as unknown as z.ZodType, {
      io: "input",
      unrepresentable: "any",
    });
    return schema;
  } catch {
    return undefined;
  }
};
