import { z } from "zod";
import { withoutPlaces } from "../../domain/record.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import { fromCursor, page, pageOf, pageQuery } from "../cursor.ts";
import { type RouteContext, shown } from "../route-context.ts";
import { FixtureBook } from "../fixture-book.ts";
import { orNull } from "../job-view.ts";
import { Problem } from "../problem.ts";
import { perSecond } from "../schemas/job.ts";
import { ScraperLoadError } from "../../scrapers/check-scraper.ts";
import { inputSchemaOf } from "../scraper-catalog.ts";

const entrySchema = named(
  "ScraperEntry",
  z.object({
    name: z.string(),
    site: z.string().optional(),
    version: z.string().optional(),
    problem: says("Why it cannot be loaded.", z.string()).optional(),
  }),
);

const scraperSchema = named(
  "Scraper",
  z.object({
    name: z.string(),
    site: z.string().optional(),
    lane: z.string().optional(),
    version: z.string(),
    pace: z.object({ perSecond, burst: z.number(), concurrency: z.number() }),
    input: says(
      "What an input must look like, as JSON Schema.",
      z.record(z.string(), z.unknown()),
    ).optional(),
    fields: z.array(z.object({ name: z.string(), isRequired: z.boolean() })),
    emitsTo: says("Scrapers whose inputs are found on its pages.", z.array(z.string())),
    fixtures: says(
      "How it fares with its fixtures, as of a minute ago at most.",
      z.object({
        cases: z.int(),
        passed: z.int(),
        failed: says("Cases that are not as expected.", z.array(z.string())),
        problem: says("Why they could not be tested at all.", z.string()).optional(),
      }),
    ).optional(),
  }),
);

export const addScraperRoutes = (app: Api, { service: { scrapers }, now }: RouteContext): void => {
  const fixtures = new FixtureBook(scrapers, now);

  app.get(
    "/v1/scrapers",
    {
      schema: {
        operationId: "listScrapers",
        summary: "List the installation's scrapers",
        tags: ["scrapers"],
        querystring: z.strictObject(pageQuery(500, 100)),
        response: { 200: json("A page of scrapers, by name.", pageOf(entrySchema)), ...problems() },
      },
    },
    async ({ query }) => {
      const after = fromCursor(query.cursor, z.string()) ?? "";
      const names = (await scrapers.names()).filter((name) => name > after);
      const some = names.slice(0, query.limit);
      const data = await Promise.all(
        some.map(async (name) => {
          try {
            const { scraper, version } = await scrapers.find(name);
            return { name, version, ...(scraper.site !== undefined && { site: scraper.site }) };
          } catch (error) {
            return { name, problem: withoutPlaces(error instanceof Error ? error.message : String(error)) };
          }
        }),
      );
      return page(data, names.length > some.length ? some.at(-1) : undefined);
    },
  );

  app.get(
    "/v1/scrapers/:scraper",
    {
      schema: {
        operationId: "getScraper",
        summary: "One scraper: what it takes and what it gives",
        tags: ["scrapers"],
        params: z.object({ scraper: says("Its name, or that of its file.", z.string().max(64)) }),
        response: { 200: json("The scraper.", scraperSchema), ...problems(404, 409, 422) },
      },
    },
    async ({ params }) => {
      const ready = await scrapers.find(params.scraper).catch((error: unknown) => {
        if (error instanceof ScraperLoadError && error.code === "unknown-scraper")
          throw new Problem("not-found", `${shown(params.scraper)}: this installation has no such scraper.`);
        throw error;
      });
      const { scraper, version, pace, extraction, targets } = ready;
      const input = inputSchemaOf(ready);
      const status = await fixtures.statusOf(ready);
      return {
        name: scraper.name,
        ...(scraper.site !== undefined && { site: scraper.site }),
        ...(scraper.lane !== undefined && { lane: scraper.lane }),
        version,
        pace: { ...pace, perSecond: orNull(pace.perSecond) },
        ...(input && { input }),
        fields: (extraction?.fieldNames ?? []).map((name) => ({
          name,
          isRequired: extraction!.required.includes(name),
        })),
        emitsTo: [...targets.keys()],
        ...(status && {
          fixtures: {
            ...status,
            failed: [...status.failed],
            ...(status.problem !== undefined && { problem: withoutPlaces(status.problem) }),
          },
        }),
      };
    },
  );
};
