import swagger from "@fastify/swagger";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { loadOptional, MissingPackageError } from "../domain/missing-package.ts";
import { apiRegistry, described } from "../schemas/describe.ts";
import type { Api } from "./api.ts";

const TAGS = {
  jobs: "A scraper and its inputs, run for a client.",
  items: "One input of a job, with its attempts and captures.",
  results: "The records and the manifest of a job.",
  batches: "Fetch a list of URLs.",
  "input-sets": "Named lists of inputs, with versions.",
  schedules: "Jobs at fixed times; for operators.",
  scrapers: "The scrapers of this installation, and their versions.",
  quality: "How complete the runs of a scraper are, and how they differ from earlier ones.",
  datasets: "Published data: datasets and their releases.",
  lanes: "Sites that share a rate limit; for operators.",
  workers: "The processes that run items; for operators.",
  clients: "Clients and their API keys; for admins.",
  webhooks: "Receivers of a client's events, following the Standard Webhooks specification.",
  events: "Live events.",
  service: "The server itself.",
} as const;

const idempotencyHeader = described(
  "Makes the request safe to repeat: for a day, the same request with the same key gets the same response.",
  z.string().min(1).max(200),
).optional();

const transform = createJsonSchemaTransform({ schemaRegistry: apiRegistry });
const transformObject = createJsonSchemaTransformObject({ schemaRegistry: apiRegistry });

/** The document is generated from the schemas that validate requests and answers. Add it before the routes. */
export const addOpenapi = async (app: Api, version: string): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Sluice",
        version,
        description:
          "Runs scrape jobs with a hundred to many millions of items: paced, durable, with the status of every field. Errors are RFC 9457 problems. A POST that creates something accepts an `Idempotency-Key`. Lists are paged by opaque cursors. Times are ISO 8601, durations are milliseconds.",
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
      if (!route.route.config?.creates) return transform(route);
      const headers = z.object({ "idempotency-key": idempotencyHeader });
      return transform({ ...route, schema: { ...route.schema, headers } });
    },
    transformObject: (document) => pruneComponents(transformObject(document)),
  });
};

/** The page in the browser contacts only this server: it works offline, and nobody else learns of it. */
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

/** Add it after the routes. */
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

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

const SCHEMA_REFERENCE = /"#\/components\/schemas\/([^"/]+)"/g;

/** Leaves out unused schemas: each has a form for requests and one for answers, and few need both. */
const pruneComponents = <Doc extends object>(document: Doc): Doc => {
  const { components, ...rest } = document as Doc & Document;
  const schemas = components?.schemas ?? {};
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name] of (JSON.stringify(part) ?? "").matchAll(SCHEMA_REFERENCE)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  visit(rest);
  return {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  };
};
