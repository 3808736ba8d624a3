import { fileURLToPath } from "node:url";
import type { Extraction } from "../extraction/extract-spec.ts";
import type { Pace } from "../model/pace.ts";
import { defaultBurst } from "../model/slots.ts";
import type { Limits } from "../ports/collector.ts";
import type { LoadedScraper } from "./load-scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";
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

export const readyScraper = async ({ scraper, source, version }: LoadedScraper): Promise<ReadyScraper> => ({
  scraper,
  source,
  version,
  pace: fullPace(scraper.pace ?? {}),
  limits: { ...DEFAULT_LIMITS, ...scraper.limits },
  extraction: await compile(scraper, source),
});

/** The parser of pages is loaded only for a scraper that extracts. */
const compile = async ({ extract }: AnyScraper, source: string): Promise<Extraction | undefined> => {
  if (!extract) return undefined;
  const { compileExtraction } = await import("../extraction/extract-spec.ts");
  try {
    return compileExtraction(extract);
  } catch (error) {
    const file = source.startsWith("file:") ? fileURLToPath(source) : source;
    throw new ScraperLoadError(
      "bad-scraper",
      `${file}: ${(error as Error).message}. Correct the scraper's \`extract\` block and run again.`,
      { cause: error },
    );
  }
};

export const fullPace = (given: Partial<Pace>): Pace => {
  const pace = { ...DEFAULT_PACE, ...given };
  return { burst: defaultBurst(pace.perSecond), ...pace };
};
