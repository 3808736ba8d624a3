import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadScraper } from "../scrapers/load-scraper.ts";
import type { CaseFolder } from "./fixture.ts";

/** A fixture without a scraper in the same folder: most likely the scraper was renamed and silently lost its tests. */
export interface OrphanCase extends CaseFolder {
  readonly scraper: string;
}

/** Of fixtures that do not belong to the scraper in `file`, those that belong to no scraper. Empty if a scraper file in the folder cannot be loaded. */
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
      // Fixtures of a target without its own file are never run.
      for (const [name, target] of targets)
        if (target.source !== source && dirname(fileURLToPath(target.source)) === folder) names.add(name);
    }
  } catch {
    return [];
  }
  return cases.filter(({ scraper }) => !names.has(scraper));
};
