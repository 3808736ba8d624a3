import { statSync } from "node:fs";
import { z } from "zod";
import { fileName, findScraper, listScrapers, type NameOf } from "../config/find-scrapers.ts";
import type { Project } from "../config/load-config.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { type LoadedScraper, loadScraper } from "../scrapers/load-scraper.ts";
import { page } from "../scrapers/page.ts";
import { compileScraper, type CompiledScraper } from "../scrapers/compiled-scraper.ts";

/** The scrapers of an installation, by their own names; one is also found by the name of its file. A name over the API is never a path. */
export interface ScraperCatalog {
  /** Sorted; by its file's name, one that cannot be loaded. */
  names(): Promise<readonly string[]>;
  /** Throws `ScraperLoadError` for one that is not there, cannot be loaded or has another's name. */
  find(name: string): Promise<CompiledScraper>;
  /** The name that its jobs carry; what is given, where no scraper is found by it. */
  ownName(name: string): Promise<string>;
  /** By where a job has it from. */
  load(source: string): Promise<CompiledScraper>;
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

/** The built-ins, and the scrapers of the project. */
export const openCatalog = (
  project: Project | undefined,
  options: Pick<ScraperCatalog, "fixturesOf"> = {},
): ScraperCatalog => {
  /** Compiled once for each version; a file that was changed has another. */
  const compiled = new Map<
    string,
    { readonly loaded: LoadedScraper; readonly ready: Promise<CompiledScraper> }
  >();
  /** Names by file, while the file is as it was: a list of hundreds is not loaded anew for each request. */
  const known = new Map<string, { readonly mark: string; readonly name: string }>();
  const nameOf: NameOf = async (file) => {
    const { mtimeMs, size } = statSync(file);
    const mark = `${mtimeMs} ${size}`;
    const last = known.get(file);
    if (last?.mark === mark) return last.name;
    const name = await loadScraper(file).then(
      ({ scraper }) => scraper.name,
      () => undefined,
    );
    if (name !== undefined) known.set(file, { mark, name });
    return name;
  };
  const load = async (source: string): Promise<CompiledScraper> => {
    const loaded = await loadScraper(source);
    const last = compiled.get(loaded.source);
    if (last?.loaded.scraper === loaded.scraper && last.loaded.version === loaded.version)
      return await last.ready;
    const ready = compileScraper(loaded);
    compiled.set(loaded.source, { loaded, ready });
    return await ready;
  };
  const names = async (): Promise<readonly string[]> => {
    const files = project ? listScrapers(project) : [];
    const own = await Promise.all(files.map(async (file) => (await nameOf(file)) ?? fileName(file)));
    return [...new Set([page.name, ...own])].sort();
  };
  const sourceOf = async (name: string): Promise<string | undefined> => {
    if (name === page.name) return name;
    if (!project) return undefined;
    try {
      const file = await findScraper(name, project, nameOf);
      // What looks like a path is given back as it is.
      return listScrapers(project).includes(file) ? file : undefined;
    } catch (error) {
      if (error instanceof ScraperLoadError && error.code === "unknown-scraper") return undefined;
      throw error;
    }
  };
  return {
    ...options,
    load,
    names,
    async find(name) {
      const source = await sourceOf(name);
      if (source === undefined)
        throw new ScraperLoadError(
          "unknown-scraper",
          `${name}: this installation has no such scraper. It has ${namesText(await names())}.`,
        );
      return await load(source);
    },
    async ownName(name) {
      const source = await sourceOf(name).catch(() => undefined);
      return (source === undefined || source === page.name ? undefined : await nameOf(source)) ?? name;
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
export const inputSchemaOf = ({ scraper }: CompiledScraper): Record<string, unknown> | undefined => {
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
