import type { JobView } from "../model/job.ts";
import type { Retention } from "../model/removal.ts";
import { retentionOf } from "./check-retention.ts";
import { loadScraper } from "./load-scraper.ts";
import type { AnyScraper } from "./scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";

/**
 * How long a job's pages and records are kept: as its scraper says now; as it said when the job began where it cannot be loaded any more. Each
 * file is loaded once.
 */
export const retentionNow = (): ((view: JobView) => Promise<Retention | undefined>) => {
  const loaded = new Map<string, Promise<AnyScraper | undefined>>();
  const load = async (source: string): Promise<AnyScraper | undefined> => {
    try {
      return (await loadScraper(source)).scraper;
    } catch (error) {
      if (error instanceof ScraperLoadError) return undefined;
      throw error;
    }
  };
  return async ({ spec }) => {
    const loading = loaded.get(spec.source) ?? load(spec.source);
    loaded.set(spec.source, loading);
    const scraper = await loading;
    return scraper?.name === spec.scraper ? retentionOf(scraper.retention ?? {}) : spec.retention;
  };
};
