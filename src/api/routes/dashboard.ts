import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "../api.ts";

/** In a clone, and in the package. */
const FOLDERS = ["../../../dashboard/dist", "../../dashboard"];

/** The first part of the paths of pages. The dashboard itself shows what the rest names. */
const PAGES = [
  "jobs",
  "scrapers",
  "lanes",
  "schedules",
  "datasets",
  "workers",
  "clients",
  "limits",
  "webhooks",
  "alerts",
  "events",
  "submit",
];

const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  html: "text/html; charset=utf-8",
};

interface StoredFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** The files of the dashboard, by name. They are small, and are kept in memory. */
const readFiles = (): ReadonlyMap<string, StoredFile> => {
  const folder = FOLDERS.map((name) => join(import.meta.dirname, name)).find((name) =>
    existsSync(join(name, "index.html")),
  );
  if (folder === undefined) return new Map();
  const names = globSync("{index.html,assets/*.{js,css,svg}}", { cwd: folder });
  return new Map(
    names.map((name) => {
      const file = join(folder, name);
      const plain = readFileSync(file);
      return [
        name.replaceAll("\\", "/"),
        {
          type: TYPES[name.split(".").at(-1)!]!,
          etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 16)}"`,
          plain,
          br: readFileSync(`${file}.br`),
          gzip: readFileSync(`${file}.gz`),
        },
      ];
    }),
  );
};

const NOT_BUILT =
  "The dashboard is not built. In a clone of Sluice, run `npm run dashboard` and restart the server. The API is described at /docs.\n";

export const addDashboardRoutes = (app: Api): void => {
  const files = readFiles();
  const isOpen = { config: { role: "nobody" as const }, schema: { hide: true } };

  const send = (request: FastifyRequest, reply: FastifyReply, file: StoredFile): FastifyReply => {
    const accepted = request.headers["accept-encoding"] ?? "";
    void reply.headers({ vary: "accept-encoding", etag: file.etag });
    if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
    void reply.type(file.type);
    if (/\bbr\b/.test(accepted)) return reply.header("content-encoding", "br").send(file.br);
    if (/\bgzip\b/.test(accepted)) return reply.header("content-encoding", "gzip").send(file.gzip);
    return reply.send(file.plain);
  };

  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = files.get("index.html");
    if (!page) return await reply.code(404).type("text/plain; charset=utf-8").send(NOT_BUILT);
    return await send(
      request,
      reply.headers({
        "cache-control": "no-cache",
        "content-security-policy": POLICY,
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
      }),
      page,
    );
  };

  app.get("/", isOpen, sendPage);
  for (const page of PAGES) {
    app.get(`/${page}`, isOpen, sendPage);
    app.get(`/${page}/*`, isOpen, sendPage);
  }

  app.get("/assets/:name", isOpen, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const file = files.get(`assets/${name}`);
    // After an update, a page that is still open may ask for files of the version before.
    if (!file) return await reply.code(404).type("text/plain").send("No such file. Load the page again.\n");
    // The name changes with the content.
    return await send(request, reply.header("cache-control", "public, max-age=31536000, immutable"), file);
  });
};
