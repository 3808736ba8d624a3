import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { FixtureStatus, ScraperCatalog } from "../services/scraper-catalog.ts";

/** Fixtures can change without a new scraper version, and running them costs a thread: a result is reused for this long. */
const KEPT_MS = 60_000;

/** Results of fixture tests, each run at most once a minute. */
export class FixtureCache {
  readonly #statusOf: ScraperCatalog["fixturesOf"];
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly at: number; readonly status: Promise<FixtureStatus> }>();

  constructor({ fixturesOf }: Pick<ScraperCatalog, "fixturesOf">, now: () => number) {
    this.#statusOf = fixturesOf;
    this.#now = now;
  }

  /** Undefined if nobody runs them. */
  async statusOf({
    source,
    version,
  }: Pick<CompiledScraper, "source" | "version">): Promise<FixtureStatus | undefined> {
    if (!this.#statusOf) return undefined;
    const id = `${source} ${version}`;
    const known = this.#known.get(id);
    if (known && this.#now() - known.at < KEPT_MS) return await known.status;
    for (const [old, { at }] of this.#known) if (this.#now() - at >= KEPT_MS) this.#known.delete(old);
    const status = this.#statusOf(source);
    this.#known.set(id, { at: this.#now(), status });
    return await status;
  }
}
