import type { Extraction } from "../extraction/extract-spec.ts";
import type { Pace } from "../model/pace.ts";
import { defaultBurst } from "../model/slots.ts";
import type { Limits } from "../ports/collector.ts";
import type { LoadedScraper } from "./load-scraper.ts";
import { DEFAULT_LIMITS, DEFAULT_PACE, type AnyScraper } from "./scraper.ts";

/** A scraper with its defaults filled in and its extraction compiled: what runs. */
export interface ReadyScraper {
  readonly scraper: AnyScraper;
  readonly source: string;
  readonly version: string;
  readonly pace: Pace;
  readonly limits: Limits;
  readonly extraction: Extraction | undefined;
}

/** The parser of pages is loaded only for a scraper that extracts. */
export const readyScraper = async ({ scraper, source, version }: LoadedScraper): Promise<ReadyScraper> => {
  const { extract } = scraper;
  return {
    scraper,
    source,
    version,
    pace: fullPace(scraper.pace ?? {}),
    limits: { ...DEFAULT_LIMITS, ...scraper.limits },
    extraction: extract && (await import("../extraction/extract-spec.ts")).compileExtraction(extract),
  };
};

export const fullPace = (given: Partial<Pace>): Pace => {
  const pace = { ...DEFAULT_PACE, ...given };
  return { burst: defaultBurst(pace.perSecond), ...pace };
};
