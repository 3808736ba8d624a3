import { z } from "zod";
import { described } from "../../schemas/describe.ts";
import {
  activatedSchema,
  activateSchema,
  endCanarySchema,
  gateSchema,
  movedSchema,
  moveSchema,
  startCanarySchema,
  versionSchema,
  versionsSchema,
} from "../../schemas/version.ts";
import { endCanary, startCanary } from "../../services/canaries.ts";
import { gateVersion } from "../../services/gate.ts";
import {
  activateVersion,
  listVersions,
  resolveVersion,
  rollBackVersion,
  showVersion,
} from "../../services/versions.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { actorName } from "../audit.ts";
import type { RouteContext } from "../route-context.ts";

const scraper = described("The scraper's name.", z.string().max(64));
const ofScraper = z.object({ scraper });
const ofVersion = z.object({
  scraper,
  version: described(
    "The version or its first characters; `newest` for the one deployed last.",
    z.string().max(16),
  ),
});

export const addVersionRoutes = (app: Api, { service }: RouteContext): void => {
  const resolve = async (params: { readonly scraper: string; readonly version: string }) =>
    await resolveVersion(service, params.scraper, params.version === "newest" ? undefined : params.version);
  const common = { tags: ["scrapers"] };
  const operator = { role: "operator" } as const;

  app.get(
    "/v1/scrapers/:scraper/versions",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "listVersions",
        summary: "List the versions of a scraper",
        description: "The 500 newest that were deployed, compared or activated, and which of them is active.",
        params: ofScraper,
        response: { 200: json("Its versions.", versionsSchema), ...problems() },
      },
    },
    async ({ params }) => await listVersions(service, params.scraper),
  );

  app.get(
    "/v1/scrapers/:scraper/versions/:version",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "getVersion",
        summary: "Get a version of a scraper",
        description: "With its differences from the previous version, and the results of its checks.",
        params: ofVersion,
        response: { 200: json("The version.", versionSchema), ...problems(404) },
      },
    },
    async ({ params }) => {
      const { scraper: name, version } = await resolve(params);
      return await showVersion(service, name, version);
    },
  );

  app.post(
    "/v1/scrapers/:scraper/versions/:version/gate",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "gateVersion",
        summary: "Compare a version with the active one on stored pages",
        description:
          "The version and the active one read the same stored pages: the newest 500, those with empty, missing or malformed fields, and 100 of each older month. Nothing is activated.",
        params: ofVersion,
        response: { 200: json("The verdict.", gateSchema), ...problems(404, 413, 415, 422) },
      },
    },
    async ({ params, actor }) =>
      await gateVersion(service, { ...(await resolve(params)), by: actorName(actor) }),
  );

  app.post(
    "/v1/scrapers/:scraper/versions/:version/activate",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "activateVersion",
        summary: "Activate a version",
        description:
          "New jobs use it. Stored pages are read first, as with `gate`: a refused version needs `accept`. Jobs that have begun keep their version, or with `move` change with their next claim.",
        params: ofVersion,
        body: activateSchema.nullish(),
        response: { 200: json("It is active.", activatedSchema), ...problems(404, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) =>
      await activateVersion(service, { ...(await resolve(params)), ...body, by: actorName(actor) }),
  );

  app.post(
    "/v1/scrapers/:scraper/versions/:version/canary",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "startCanary",
        summary: "Start a canary",
        description:
          "New jobs run a share of their items with this version, chosen by key. It is rolled back as soon as a field is clearly worse than in the active version, and promoted when no required field is worse.",
        params: ofVersion,
        body: startCanarySchema.nullish(),
        response: {
          200: json("The version is now the canary.", movedSchema),
          ...problems(404, 413, 415, 422),
        },
      },
    },
    async ({ params, body, actor }) =>
      await startCanary(service, { ...(await resolve(params)), ...body, by: actorName(actor) }),
  );

  app.post(
    "/v1/scrapers/:scraper/canary",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "endCanary",
        summary: "End a canary",
        description: "Promotes it, or rolls it back: then its items are read again with the active version.",
        params: ofScraper,
        body: endCanarySchema,
        response: { 200: json("The version.", versionSchema), ...problems(404, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) => {
      const name = await service.scrapers.ownName(params.scraper);
      return await endCanary(service, { scraper: name, ...body, by: actorName(actor) });
    },
  );

  app.post(
    "/v1/scrapers/:scraper/rollback",
    {
      config: operator,
      schema: {
        ...common,
        operationId: "rollBackVersion",
        summary: "Return to the previous version",
        description: "Activates the previously active version again, without a comparison.",
        params: ofScraper,
        body: moveSchema.nullish(),
        response: { 200: json("It is active.", movedSchema), ...problems(404, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) => {
      const name = await service.scrapers.ownName(params.scraper);
      return await rollBackVersion(service, { scraper: name, ...body, by: actorName(actor) });
    },
  );
};
