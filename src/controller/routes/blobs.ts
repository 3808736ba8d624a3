import type { FastifyReply, FastifyRequest } from "fastify";
import { Readable } from "node:stream";
import { z } from "zod";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import { PIECE_BYTES } from "../../ports/ledger-wire.ts";
import type { Api } from "../api.ts";
import { BlobUploads } from "../blob-uploads.ts";
import type { ControllerLog } from "../house.ts";
import type { OpenStreams } from "../open-streams.ts";
import { addProtocol } from "../protocol.ts";
import { Problem } from "../problem.ts";

/** Bytes of one answer; a longer range comes in several. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What belongs to jobs. Beside it lies what only the controller has business with, such as a copy of the registry. */
const WORKERS_PREFIX = "jobs/";

const rangeQuery = z.object({
  offset: z.coerce.number().int().min(0).optional(),
  length: z.coerce.number().int().min(0).max(MOST_BYTES).optional(),
});
const pieceQuery = z.object({
  upload: z.string().min(1).max(100),
  offset: z.coerce.number().int().min(0),
  last: z.enum(["0", "1"]),
});
const listQuery = z.object({ prefix: z.string().max(1000).default("") });

export interface BlobDesk {
  readonly house: { readonly blobs: Blobs; readonly log: ControllerLog };
  readonly streams?: Pick<OpenStreams, "open">;
}

/** The archive for workers that have none of their own. Objects come in pieces, each of which may be sent again. */
export const addBlobRoutes = (app: Api, { house, streams }: BlobDesk): void => {
  const { blobs, log } = house;
  const uploads = new BlobUploads(blobs);
  app.addHook("onClose", async () => uploads.close());

  const nameIn = ({ params, who }: FastifyRequest): string => {
    const name = (params as { readonly "*": string })["*"];
    checkPlace(name, who.role);
    return name;
  };

  /** What is wrong before the first byte is still a problem; after it the connection is cut. */
  const stream = async (reply: FastifyReply, pieces: AsyncIterable<Uint8Array>): Promise<FastifyReply> => {
    streams?.open("download", reply.request, reply);
    const each = pieces[Symbol.asyncIterator]();
    const first = await each.next();
    const body = Readable.from(rest(first, each), { objectMode: false });
    body.on("error", (error) => log.warn("blob.broken", { error: String(error) }));
    return await reply.type("application/octet-stream").send(body);
  };

  void app.register(async (scope) => {
    addProtocol(scope);
    scope.addContentTypeParser("application/octet-stream", { parseAs: "buffer" }, (_request, body, done) =>
      done(null, body),
    );
    scope.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof BlobError)) throw error;
      const status = error.code === "not-found" ? 404 : 409;
      return reply.code(status).send({ blobError: error.code, message: error.message });
    });
    const worker = { config: { role: "worker" }, schema: { hide: true } } as const;
    scope.get("/v1/blobs", worker, async (request, reply) => {
      const { prefix } = parse(listQuery, request.query);
      checkPlace(prefix, request.who.role);
      return await stream(reply, lines(blobs.list(prefix)));
    });
    scope.get("/v1/blobs/*", worker, async (request, reply) => {
      const name = nameIn(request);
      const { offset, length } = parse(rangeQuery, request.query);
      if (offset === undefined || length === undefined) return await stream(reply, blobs.stream(name));
      return await reply
        .type("application/octet-stream")
        .send(Buffer.from(await blobs.get(name, { offset, length })));
    });
    scope.put("/v1/blobs/*", { ...worker, bodyLimit: PIECE_BYTES }, async (request, reply) => {
      const { upload, offset, last } = parse(pieceQuery, request.query);
      const piece = { name: nameIn(request), offset, isLast: last === "1", bytes: bytesOf(request.body) };
      const size = await uploads.add(`${request.who.key ?? ""} ${upload}`, piece);
      return await reply.send({ size });
    });
    scope.delete(
      "/v1/blobs/*",
      { config: { role: "admin" }, schema: { hide: true } },
      async (request, reply) => {
        await blobs.remove(nameIn(request));
        return await reply.send({});
      },
    );
  });
};

const checkPlace = (name: string, role: string): void => {
  if (role === "worker" && !name.startsWith(WORKERS_PREFIX))
    throw new Problem("forbidden", `Workers have no business with objects outside of ${WORKERS_PREFIX}.`);
};

const parse = <T>(schema: z.ZodType<T>, query: unknown): T => {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  throw new Problem(
    "invalid-request",
    `${parsed.error.issues[0]?.path.join(".")}: ${parsed.error.issues[0]?.message}.`,
  );
};

const bytesOf = (body: unknown): Uint8Array => (Buffer.isBuffer(body) ? body : new Uint8Array());

async function* rest(
  first: IteratorResult<Uint8Array, unknown>,
  others: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await others.next()) yield next.value;
}

async function* lines(objects: ReturnType<Blobs["list"]>): AsyncGenerator<Uint8Array> {
  for await (const { name, size } of objects) yield Buffer.from(`${JSON.stringify([name, size])}\n`);
}
