import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { z } from "zod";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import { DIGEST_HEADER, MOST_OBJECT_BYTES, MOST_RANGE_BYTES } from "../../ports/ledger-wire.ts";
import { BUNDLES_FOLDER } from "../../scrapers/bundle.ts";
import { STORED_FOLDER } from "../../scrapers/stored-scrapers.ts";
import type { Api } from "../api.ts";
import type { ControllerLog } from "../controller-context.ts";
import type { OpenStreams } from "../open-streams.ts";
import { Problem } from "../../services/problem.ts";
import { addProtocol } from "../ledger-calls.ts";

/** Objects of jobs. Objects elsewhere, such as the copy of the registry, are for admins. */
const WORKERS_PREFIX = "jobs/";
/** Scrapers of clients and of the installation, which workers read and never write. */
const READ_PREFIXES = [STORED_FOLDER, BUNDLES_FOLDER];

const rangeQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0),
  length: z.coerce.number().int().min(0).max(MOST_RANGE_BYTES).optional(),
});
const listQuery = z.object({ prefix: z.string().max(1000).default("") });

interface BlobContext {
  readonly service: { readonly blobs: Blobs; readonly log: ControllerLog; readonly version?: string };
  readonly streams: Pick<OpenStreams, "open">;
}

/** The blob store for workers on machines that do not share it. Every request may be sent again. */
export const addBlobRoutes = (app: Api, { service, streams }: BlobContext): void => {
  const { blobs, log, version = "" } = service;
  const worker = { role: "worker" } as const;
  const schema = { hide: true };

  const nameIn = ({ params, actor, method }: FastifyRequest): string => {
    const name = (params as { readonly "*": string })["*"];
    checkPlace(name, actor.role, method === "GET" || method === "HEAD");
    return name;
  };

  /** An error before the first byte is answered as a problem; after it, the connection is cut. */
  const stream = async (reply: FastifyReply, pieces: AsyncIterable<Uint8Array>): Promise<FastifyReply> => {
    streams.open("object", reply.request, reply);
    const each = pieces[Symbol.asyncIterator]();
    const first = await each.next();
    const body = Readable.from(rest(first, each), { objectMode: false });
    body.on("error", (error) => log.warn("blob.broken", { error: String(error) }));
    return await reply.type("application/octet-stream").send(body);
  };

  void app.register(async (scope) => {
    addProtocol(scope, version);
    scope.addContentTypeParser("application/octet-stream", (_request, payload, done) => done(null, payload));
    scope.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof BlobError)) throw error;
      const status = error.code === "not-found" ? 404 : 409;
      return reply.code(status).send({ code: error.code, message: error.message });
    });
    scope.get("/v1/blobs", { config: worker, schema }, async (request, reply) => {
      const { prefix } = parse(listQuery, request.query);
      checkPlace(prefix, request.actor.role, true);
      return await stream(reply, lines(blobs.list(prefix)));
    });
    scope.get("/v1/blobs/*", { config: worker, schema }, async (request, reply) => {
      const name = nameIn(request);
      const { offset, length } = parse(rangeQuery, request.query);
      if (length === undefined) return await stream(reply, blobs.stream(name));
      const bytes = await blobs.get(name, { offset, length });
      return await reply.type("application/octet-stream").send(Buffer.from(bytes));
    });
    scope.put("/v1/blobs/*", { config: { ...worker, isStreamed: true }, schema }, async (request, reply) => {
      const name = nameIn(request);
      if (!(Number(request.headers["content-length"] ?? NaN) <= MOST_OBJECT_BYTES))
        throw new Problem(
          "too-large",
          `${name}: send its Content-Length, at most ${MOST_OBJECT_BYTES} bytes.`,
        );
      streams.open("object", request, reply);
      const digest = String(request.headers[DIGEST_HEADER]);
      const { size } = await blobs.put(name, verified(bodyOf(request), name, digest));
      return await reply.send({ size });
    });
    scope.delete("/v1/blobs/*", { config: { role: "admin" }, schema }, async (request, reply) => {
      await blobs.remove(nameIn(request));
      return await reply.send({});
    });
  });
};

const checkPlace = (name: string, role: string, isRead: boolean): void => {
  if (isRead && READ_PREFIXES.some((prefix) => name.startsWith(prefix))) return;
  if (role === "worker" && !name.startsWith(WORKERS_PREFIX))
    throw new Problem("forbidden", `A worker may only use objects whose name begins with ${WORKERS_PREFIX}.`);
};

const parse = <T>(schema: z.ZodType<T>, query: unknown): T => {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Problem("invalid-request", `${issue?.path.join(".")}: ${issue?.message}.`);
};

/** A request with an empty body has none. */
const bodyOf = ({ body }: FastifyRequest): Readable => (body instanceof Readable ? body : Readable.from([]));

/** Throws at the end if the digest differs, so that a damaged object is not stored. */
async function* verified(body: Readable, name: string, digest: string): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const piece of body as AsyncIterable<Buffer>) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") !== digest)
    throw new Problem("unavailable", `${name}: the digest differs from the one sent. Send it again.`);
}

async function* rest(
  first: IteratorResult<Uint8Array, unknown>,
  others: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await others.next()) yield next.value;
}

async function* lines(objects: ReturnType<Blobs["list"]>): AsyncGenerator<Uint8Array> {
  for await (const { name, size } of objects) yield Buffer.from(`${JSON.stringify([name, size])}\n`);
}
