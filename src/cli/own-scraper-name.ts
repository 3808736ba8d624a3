import { resolveScraper } from "../config/find-scrapers.ts";
import { loadScraper, ScraperLoadError } from "../scrapers/load-scraper.ts";

/** The name that a scraper's jobs carry, by that name or its file. What no scraper is found by may be the name of one that is gone. */
export const ownScraperName = async (named: string): Promise<string> => {
  try {
    return (await loadScraper(await resolveScraper(named))).scraper.name;
  } catch (error) {
    if (error instanceof ScraperLoadError && error.code === "unknown-scraper") return named;
    throw error;
  }
};
