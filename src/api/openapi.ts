import swagger from "@fastify/swagger";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { loadOptional, MissingPackageError } from "../domain/missing-package.ts";
import { apiRegistry, says } from "./api-registry.ts";
import type { Api } from "./api.ts";
import { pruneComponents } from "./prune-components.ts";

const TAGS = {
  jobs: "A scraper and its inputs, on behalf of a client.",
  items: "One input of a job, with its attempts and what was kept of it.",
  results: "What came of a job.",
  batches: "Pages by their URLs.",
  scrapers: "What can be asked for.",
  lanes: "What shares a rate limit: for operators.",
  workers: "Who runs the items: for operators.",
  clients: "Who submits jobs, with which keys: for admins.",
  webhooks: "Where a client's events are sent, by the Standard Webhooks specification.",
  events: "What happens, as it happens.",
  service: "The server itself.",
} as const;

const onceHeader = says(
  "Makes it happen once: the same request under the same key gets the same answer, for a day.",
  z.string().min(1).max(200),
).optional();

const transform = createJsonSchemaTransform({ schemaRegistry: apiRegistry });
const transformObject = createJsonSchemaTransformObject({ schemaRegistry: apiRegistry });

/** The document is made of the schemas that requests are checked and answers are written with. To be added before the routes. */
export const addOpenapi = async (app: Api, version: string): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Sluice",
        version,
        description:
          "Runs scrape jobs of a hundred to many million items: paced, durable, honest about every field. Errors are problems as in RFC 9457; a POST that creates takes an `Idempotency-Key`; lists are paged by opaque cursors; times are ISO 8601, durations milliseconds.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" } as { name: string },
      },
      servers: [{ url: "/", description: "This server." }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          key: { type: "http", scheme: "bearer", description: "An API key: `sluice_…`." },
        },
      },
      security: [{ key: [] }],
    },
    transform: (route) => {
      if (!route.route.config?.isOnce) return transform(route);
      const headers = z.object({ "idempotency-key": onceHeader });
      return transform({ ...route, schema: { ...route.schema, headers } });
    },
    transformObject: (document) => pruneComponents(transformObject(document)),
  });
};

/** A page that is open in a browser asks this server and nobody else: it works without a network, and tells nobody. */
const DOCS_POLICY =
  "default-src 'self' 'unsafe-inline' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const REFERENCE = "@scalar/fastify-api-reference";

const whyNoReference = (): string | undefined => {
  try {
    loadOptional(REFERENCE, "This page", () => import.meta.resolve(REFERENCE));
    return undefined;
  } catch (error) {
    if (error instanceof MissingPackageError) return error.message;
    throw error;
  }
};

/** To be added after the routes. */
export const addDocs = async (app: Api): Promise<void> => {
  let document: string | undefined;
  app.get(
    "/openapi.json",
    { config: { role: "nobody" }, schema: { hide: true } },
    async (_request, reply) => {
      document ??= JSON.stringify(app.swagger());
      return await reply.type("application/json; charset=utf-8").send(document);
    },
  );
  const missing = whyNoReference();
  if (missing !== undefined) {
    for (const path of ["/docs", "/docs/"])
      app.get(path, { config: { role: "nobody" }, schema: { hide: true } }, async (_request, reply) =>
        reply
          .code(404)
          .type("text/plain")
          .send(`${missing}\nThe API itself is described at /openapi.json.\n`),
      );
    return;
  }
  const { default: apiReference } = await import("@scalar/fastify-api-reference");
  await app.register(async (docs) => {
    docs.addHook("onRoute", (route) => {
      route.config = { ...route.config, role: "nobody" };
    });
    docs.addHook("onRequest", async (_request, reply) => {
      void reply.header("content-security-policy", DOCS_POLICY);
    });
    await docs.register(apiReference, {
      routePrefix: "/docs",
      configuration: {
        url: "/openapi.json",
        pageTitle: "Sluice API",
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: "never",
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
};
