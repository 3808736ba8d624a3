import { z } from "zod";
import { described, pageOf, pageQuery } from "../../schemas/describe.ts";
import { scraperEntrySchema, scraperSchema } from "../../schemas/operations.ts";
import type { CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { ScraperLoadError } from "../../scrapers/check-scraper.ts";
import { shown } from "../../services/context.ts";
import { Problem } from "../../services/problem.ts";
import {
  type FixtureStatus,
  listScraperEntries,
  type ScraperCatalog,
  scraperView,
} from "../../services/scraper-catalog.ts";
import { fromCursor, json, page, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

export const addScraperRoutes = (app: Api, { service: { scrapers }, now }: RouteContext): void => {
  const fixtures = new FixtureCache(scrapers, now);

  app.get(
    "/v1/scrapers",
    {
      schema: {
        operationId: "listScrapers",
        summary: "List scrapers",
        description: "The scrapers of this installation, by name.",
        tags: ["scrapers"],
        querystring: z.strictObject(pageQuery(500, 100)),
        response: { 200: json("A page of scrapers.", pageOf(scraperEntrySchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit } }) => {
      const after = fromCursor(cursor, z.string()) ?? "";
      const { entries, next } = await listScraperEntries(scrapers, { after, limit });
      return page(entries, next);
    },
  );

  app.get(
    "/v1/scrapers/:scraper",
    {
      schema: {
        operationId: "getScraper",
        summary: "Get a scraper",
        description: "With the schema of its inputs and the fields of its records.",
        tags: ["scrapers"],
        params: z.object({ scraper: described("The scraper's name, or its file's.", z.string().max(64)) }),
        response: { 200: json("The scraper.", scraperSchema), ...problems(404, 409, 422) },
      },
    },
    async ({ params }) => {
      const compiled = await scrapers.find(params.scraper).catch((error: unknown) => {
        if (error instanceof ScraperLoadError && error.code === "unknown-scraper")
          throw new Problem("not-found", `No scraper is named "${shown(params.scraper)}".`);
        throw error;
      });
      return scraperView(compiled, await fixtures.statusOf(compiled));
    },
  );
};

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
