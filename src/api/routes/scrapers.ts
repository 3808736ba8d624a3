import { z } from "zod";
import { described, pageOf } from "../../schemas/describe.ts";
import { scraperEntrySchema, scraperQuery, scraperSchema } from "../../schemas/operations.ts";
import type { CompiledScraper } from "../../scrapers/compiled-scraper.ts";
import { isDeployed } from "../../scrapers/bundle.ts";
import { isStored } from "../../scrapers/stored-scrapers.ts";
import { ScraperLoadError } from "../../scrapers/check-scraper.ts";
import { shown } from "../../services/context.ts";
import { Problem } from "../../services/problem.ts";
import {
  type FixtureStatus,
  listScraperEntries,
  type ScraperCatalog,
  scraperView,
  withRuns,
} from "../../services/scraper-catalog.ts";
import { registerScraper, removeScraper } from "../../services/registered-scrapers.ts";
import { fromCursor, json, page, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

/** A recording of 5,000 steps with four selectors each has about as much. */
const MOST_BYTES = 1024 * 1024;

const scraperParams = z.object({
  scraper: described("The scraper's name, or the name of its file.", z.string().max(64)),
});

export const addScraperRoutes = (app: Api, { service, now }: RouteContext): void => {
  const { scrapers } = service;
  const fixtures = new FixtureCache(scrapers, now);

  app.get(
    "/v1/scrapers",
    {
      schema: {
        operationId: "listScrapers",
        summary: "List scrapers",
        description: "The scrapers of this installation, and those that the client has registered, by name.",
        tags: ["scrapers"],
        querystring: scraperQuery,
        response: { 200: json("A page of scrapers.", pageOf(scraperEntrySchema)), ...problems() },
      },
    },
    async ({ query: { cursor, limit, runs }, actor }) => {
      const after = fromCursor(cursor, z.string()) ?? "";
      const { entries, next } = await listScraperEntries(scrapers, { after, limit, actor });
      return page(runs === "true" ? await withRuns(service, actor, entries) : entries, next);
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
        params: scraperParams,
        response: { 200: json("The scraper.", scraperSchema), ...problems(404, 409, 422) },
      },
    },
    async ({ params, actor }) => {
      const compiled = await scrapers.find(params.scraper, actor).catch((error: unknown) => {
        if (error instanceof ScraperLoadError && error.code === "unknown-scraper")
          throw new Problem("not-found", `No scraper is named "${shown(params.scraper)}".`);
        throw error;
      });
      return scraperView(compiled, await fixtures.statusOf(compiled));
    },
  );

  app.put(
    "/v1/scrapers/:scraper",
    {
      bodyLimit: MOST_BYTES,
      schema: {
        operationId: "registerScraper",
        summary: "Register a scraper without code",
        description:
          "A recording and an `extract` block, as in a file `NAME.scraper.json`. The name begins with the client's name: `CLIENT.NAME`. Only the client and operators can see it. " +
          "Jobs that have begun keep their version. The recording cannot have expressions, and the scraper no patterns, files, headers or lanes.",
        tags: ["scrapers"],
        params: scraperParams,
        body: z.record(z.string(), z.unknown()),
        response: {
          200: json("The scraper, unchanged.", scraperSchema),
          201: json("The new version.", scraperSchema),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async ({ params, body, actor }, reply) => {
      const { scraper, isNew } = await registerScraper(service, actor, params.scraper, body);
      return await reply.code(isNew ? 201 : 200).send(scraperView(scraper, undefined));
    },
  );

  app.delete(
    "/v1/scrapers/:scraper",
    {
      schema: {
        operationId: "removeScraper",
        summary: "Remove a registered scraper",
        description: "New jobs cannot use it. Jobs that have begun keep it.",
        tags: ["scrapers"],
        params: scraperParams,
        response: { 200: json("The removed scraper.", scraperEntrySchema), ...problems(404, 413, 415) },
      },
    },
    async ({ params, actor }) => await removeScraper(service, actor, params.scraper),
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
    if (!this.#statusOf || isStored(source) || isDeployed(source)) return undefined;
    const id = `${source} ${version}`;
    const known = this.#known.get(id);
    if (known && this.#now() - known.at < KEPT_MS) return await known.status;
    for (const [old, { at }] of this.#known) if (this.#now() - at >= KEPT_MS) this.#known.delete(old);
    const status = this.#statusOf(source);
    this.#known.set(id, { at: this.#now(), status });
    return await status;
  }
}
