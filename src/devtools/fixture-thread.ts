/** The program of a test thread: takes the path of a scraper, returns the results of its fixtures. */
import { registerHooks } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { FixtureError, fixturesFolder, listCases, readCase } from "./fixture.ts";
import { type CaseResult, type OrphanCase, orphansAmong, runCase } from "./run-case.ts";
import type { ScraperResult } from "./test-fixtures.ts";

const storage = new URL("../", import.meta.url).href;
const sources = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const isOwn =
      found.url.startsWith("file:") &&
      !found.url.startsWith(storage) &&
      !found.url.includes("/node_modules/");
    if (isOwn) sources.add(fileURLToPath(found.url));
    return found;
  },
});

const testScraper = async (file: string): Promise<ScraperResult> => {
  const fail = (problem: string): ScraperResult => ({
    file,
    scraper: basename(file),
    cases: [],
    orphans: [],
    problem,
    sources: [file, ...sources],
  });
  try {
    const ready = await compileScraper(await loadScraper(file));
    const others: OrphanCase[] = [];
    const cases = listCases(fixturesFolder(ready.source)).flatMap((folder): CaseResult[] => {
      try {
        const fixture = readCase(folder);
        const { scraper } = fixture.fixture;
        if (scraper === ready.scraper.name) return [runCase(ready, fixture)];
        others.push({ ...folder, scraper });
        return [];
      } catch (error) {
        if (!(error instanceof FixtureError)) throw error;
        return [{ ...folder, key: folder.name, checked: 0, inputs: 0, findings: [], problem: error.message }];
      }
    });
    const orphans = await orphansAmong(others, file);
    return { file, scraper: ready.scraper.name, cases, orphans, sources: [file, ...sources] };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

parentPort!.on("message", (file: string) => {
  void testScraper(file).then((result) => parentPort!.postMessage(result, []));
});
