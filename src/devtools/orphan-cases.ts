import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadScraper } from "../scrapers/load-scraper.ts";
import type { CaseFolder } from "./fixture.ts";

/** A fixture of a scraper that no file beside it has: most likely that scraper was renamed, and lost its tests without a word. */
export interface OrphanCase extends CaseFolder {
  readonly scraper: string;
}

/** Of fixtures that are not those of the scraper in `file`, the ones that are nobody's. While a file beside it cannot be loaded, nothing is known. */
export const orphansAmong = async (
  cases: readonly OrphanCase[],
  file: string,
): Promise<readonly OrphanCase[]> => {
  if (cases.length === 0) return [];
  const folder = dirname(file);
  const beside = readdirSync(folder).filter((name) => /\.scraper\.[cm]?[jt]s$/.test(name));
  const names = new Set<string>();
  try {
    for (const one of beside) {
      const { scraper, source, targets } = await loadScraper(join(folder, one));
      names.add(scraper.name);
      // A target without a file of its own has no fixtures that anybody would run.
      for (const [name, target] of targets)
        if (target.source !== source && dirname(fileURLToPath(target.source)) === folder) names.add(name);
    }
  } catch {
    return [];
  }
  return cases.filter(({ scraper }) => !names.has(scraper));
};
