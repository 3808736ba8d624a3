import { fileURLToPath } from "node:url";
import type { Extraction } from "../extraction/extract-spec.ts";
import type { Pace } from "../model/pace.ts";
import { defaultBurst } from "../model/slots.ts";
import { compileEmit, type ReadyEmit } from "./compile-emit.ts";
import type { LoadedScraper } from "./load-scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";
import { DEFAULT_LIMITS, DEFAULT_PACE, type AnyScraper, type ScraperLimits } from "./scraper.ts";

/** A scraper with its defaults filled in and its extraction compiled: what runs. */
export interface ReadyScraper {
  readonly scraper: AnyScraper;
  readonly source: string;
  readonly version: string;
  readonly pace: Pace;
  readonly limits: ScraperLimits;
  readonly extraction: Extraction | undefined;
  readonly emits: readonly ReadyEmit[];
  /** The scrapers that it emits to, directly or not, by name. */
  readonly targets: ReadonlyMap<string, ReadyScraper>;
}

/** `extracts: false`: pages are only collected, and nothing of `extract` is loaded. */
export const readyScraper = async (
  { scraper, source, version, targets }: LoadedScraper,
  { extracts = true }: { readonly extracts?: boolean } = {},
): Promise<ReadyScraper> => ({
  scraper,
  source,
  version,
  pace: fullPace(scraper.pace ?? {}),
  limits: { ...DEFAULT_LIMITS, ...scraper.limits },
  ...(await compile(scraper, source, extracts)),
  targets: new Map(
    await Promise.all(
      [...targets].map(async ([name, target]) => [name, await readyScraper(target, { extracts })] as const),
    ),
  ),
});

/** The parser of pages is loaded only for a scraper that extracts or emits. */
const compile = async (
  { extract, emit = [], name }: AnyScraper,
  source: string,
  extracts: boolean,
): Promise<Pick<ReadyScraper, "extraction" | "emits">> => {
  const wanted = extracts ? extract : undefined;
  if (!wanted && emit.length === 0) return { extraction: undefined, emits: [] };
  const { compileExtraction } = await import("../extraction/extract-spec.ts");
  const { valuesOf } = await import("../extraction/fields.ts");
  const checked = <Result>(part: string, work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      const file = source.startsWith("file:") ? fileURLToPath(source) : source;
      throw new ScraperLoadError(
        "bad-scraper",
        `${file}: ${(error as Error).message}. Correct the scraper's ${part} and run again.`,
        { cause: error },
      );
    }
  };
  return {
    extraction: wanted && checked("`extract` block", () => compileExtraction(wanted)),
    emits: emit.map((one, at) =>
      checked(`\`emit[${at}]\``, () => compileEmit(one, name, { compileExtraction, valuesOf })),
    ),
  };
};

export const fullPace = (given: Partial<Pace>): Pace => {
  const pace = { ...DEFAULT_PACE, ...given };
  return { burst: defaultBurst(pace.perSecond), ...pace };
};
