import { fileURLToPath } from "node:url";
import type { Extraction } from "../extraction/extract-spec.ts";
import type { Pace } from "../domain/job-version.ts";
import type { PinnedScraper } from "../domain/job.ts";
import { defaultBurst } from "../domain/slots.ts";
import { compileEmit, type ReadyEmit } from "./compile-emit.ts";
import { ScraperLoadError } from "./check-scraper.ts";
import { type LoadedScraper } from "./load-scraper.ts";
import { type AnyScraper, DEFAULT_LIMITS, DEFAULT_PACE, type ScraperLimits } from "./scraper.ts";

/** A scraper with its defaults filled in and its extraction compiled: what runs. */
export interface CompiledScraper {
  readonly scraper: AnyScraper;
  readonly source: string;
  readonly version: string;
  readonly pace: Pace;
  readonly limits: ScraperLimits;
  readonly extraction: Extraction | undefined;
  readonly emits: readonly ReadyEmit[];
  /** The scrapers that it emits to, directly or not, by name. */
  readonly targets: ReadonlyMap<string, CompiledScraper>;
  /** What its records are compared with: see `checkAgainst`. */
  readonly check?: { readonly ready: CompiledScraper; readonly oneIn: number };
}

const CHECKED_ONE_IN = 200;

/** `extracts: false`: pages are only collected, and nothing of `extract` is loaded. */
export const compileScraper = async (
  { scraper, source, version, targets }: LoadedScraper,
  { extracts = true }: { readonly extracts?: boolean } = {},
): Promise<CompiledScraper> => {
  const { checkAgainst } = scraper;
  const other =
    checkAgainst &&
    (await compileScraper(
      { scraper: checkAgainst.scraper, source, version, targets: new Map() },
      { extracts },
    ));
  const { extraction, emits } = await compile(scraper, source, extracts);
  return {
    scraper,
    source,
    version,
    pace: fullPace(scraper.pace ?? {}),
    limits: { ...DEFAULT_LIMITS, ...scraper.limits },
    extraction: extraction && other?.extraction ? forBoth(extraction, other.extraction) : extraction,
    emits,
    targets: new Map(
      await Promise.all(
        [...targets].map(
          async ([name, target]) => [name, await compileScraper(target, { extracts })] as const,
        ),
      ),
    ),
    ...(other && { check: { ready: other, oneIn: checkAgainst.oneIn ?? CHECKED_ONE_IN } }),
  };
};

/** Pages of a distilled scraper are JSON, or those of the browser where that had to take over: each is read by its own `extract`. */
const forBoth = (own: Extraction, other: Extraction): Extraction => ({
  ...own,
  read: (pages) => (pages.some(({ text }) => /^\s*</.test(text)) ? other : own).read(pages),
});

/** The parser of pages is loaded only for a scraper that extracts or emits. */
const compile = async (
  { extract, emit = [], name }: AnyScraper,
  source: string,
  extracts: boolean,
): Promise<Pick<CompiledScraper, "extraction" | "emits">> => {
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

/** The pace of a job's items, and the scraper's own where the job has asked for less. */
export type JobPace = Pick<PinnedScraper, "pace" | "sitePace">;

/** A job can only lower the pace of its scrapers, for its own items. */
export const loweredPace = (
  site: Pace,
  asked: { readonly perSecond?: number | undefined; readonly concurrency?: number | undefined },
): JobPace => {
  const perSecond = Math.min(asked.perSecond ?? Infinity, site.perSecond);
  const concurrency = Math.min(asked.concurrency ?? Infinity, site.concurrency);
  if (perSecond === site.perSecond && concurrency === site.concurrency) return { pace: site };
  const burst = perSecond < site.perSecond ? Math.min(site.burst, defaultBurst(perSecond)) : site.burst;
  return { pace: { perSecond, burst, concurrency }, sitePace: site };
};

/** Names of the date fields, for exports that store dates in a column type. */
export const dateFields = ({ extraction }: Pick<CompiledScraper, "extraction">): readonly string[] =>
  [...(extraction?.fields ?? [])].filter(([, { kind }]) => kind === "date").map(([name]) => name);
