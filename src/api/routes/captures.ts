import { z } from "zod";
import { Readable } from "node:stream";
import { isPacked } from "../../archive/read-capture.ts";
import { type CaptureStream, streamCapture } from "../../archive/stream-capture.ts";
import type { CaptureRef } from "../../domain/capture.ts";
import { BlobError } from "../../ports/blobs.ts";
import { json, problems, stream } from "../answers.ts";
import type { Api, Who } from "../api.ts";
import { says } from "../api-registry.ts";
import type { RouteContext } from "../route-context.ts";
import { captureView } from "../item-view.ts";
import { isOfJob, tellDamage } from "../own-places.ts";
import { Problem } from "../problem.ts";
import { captureSchema } from "../schemas/capture.ts";
import { itemParams } from "../schemas/params.ts";

const captureParams = itemParams.extend({
  number: says("The capture's place among the item's, from 0.", z.coerce.number().int().min(0)),
});

/** Codings that every client undoes; of others the bytes are given without a word. */
const CODINGS = new Set(["gzip", "x-gzip", "deflate", "br", "zstd"]);
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i;

/** Another's job is read through one's own item: a link would tell its name. */
const isOwnObject = (ref: CaptureRef, job: string): boolean => !isPacked(ref) && isOfJob(ref, job);

export const addCaptureRoutes = (app: Api, context: RouteContext): void => {
  const { blobs, linkTo } = context.service;

  const findCapture = async (
    who: Who,
    { job, item, number }: z.infer<typeof captureParams>,
  ): Promise<CaptureRef> => {
    const ref = (await context.findItem(who, job, item)).captures[number];
    if (ref) return ref;
    throw new Problem("not-found", `The item has no capture ${number}.`);
  };

  /** With the first piece of its body: what is wrong before that is still a problem. */
  const read = async (
    ref: CaptureRef,
    job: string,
  ): Promise<CaptureStream & { readonly first?: Uint8Array }> => {
    try {
      const capture = await streamCapture(blobs, ref);
      const { value } = await capture.body.next();
      return { ...capture, ...(value && { first: value }) };
    } catch (error) {
      if (!(error instanceof BlobError) || error.code !== "not-found") return tellDamage(error, job);
      throw new Problem("not-found", "The capture is not in the archive any more.", {}, { cause: error });
    }
  };

  app.get(
    "/v1/jobs/:job/items/:item/captures",
    {
      schema: {
        operationId: "listCaptures",
        summary: "What was kept of an item's pages and files",
        tags: ["items"],
        params: itemParams,
        response: {
          200: json("Its captures.", z.object({ data: z.array(captureSchema) })),
          ...problems(404),
        },
      },
    },
    async ({ params, who }) => {
      const { captures } = await context.findItem(who, params.job, params.item);
      const data = await Promise.all(
        captures.map(async (ref, number) => ({
          ...captureView(ref, number),
          ...(linkTo && isOwnObject(ref, params.job) && { link: await linkTo(ref.blob) }),
        })),
      );
      return { data };
    },
  );

  app.get(
    "/v1/jobs/:job/items/:item/captures/:number",
    {
      schema: {
        operationId: "getCapture",
        summary: "The body of a capture",
        description:
          "As it came over the wire, in the content coding it came in. It is a stranger's page: sent as a download, and never to be run.",
        tags: ["items"],
        params: captureParams,
        response: { 200: stream("The bytes.", z.string(), "*/*"), ...problems(404) },
      },
    },
    async (request, reply) => {
      const { params, who } = request;
      const ref = await findCapture(who, params);
      context.streams.open("download", request, reply);
      const { body, headers, size, first } = await read(ref, params.job);
      const coding = headers.find(([name]) => name.toLowerCase() === "content-encoding")?.[1].trim();
      if (coding !== undefined && CODINGS.has(coding.toLowerCase()))
        void reply.header("content-encoding", coding.toLowerCase());
      return await reply
        .type(MEDIA_TYPE.test(ref.mediaType) ? ref.mediaType : "application/octet-stream")
        .header("content-disposition", `attachment; filename="capture-${params.item}-${params.number}"`)
        .header("content-security-policy", "sandbox; default-src 'none'")
        .header("x-capture-digest", ref.digest)
        .header("content-length", String(size))
        .send(Readable.from(first ? withFirst(first, body) : [], { objectMode: false }));
    },
  );

  app.get(
    "/v1/jobs/:job/items/:item/captures/:number/headers",
    {
      schema: {
        operationId: "getCaptureHeaders",
        summary: "The response's head of a capture",
        tags: ["items"],
        params: captureParams,
        response: {
          200: json(
            "The status and headers, secrets redacted.",
            z.object({
              url: z.string(),
              status: z.int(),
              headers: z.array(z.object({ name: z.string(), value: z.string() })),
            }),
          ),
          ...problems(404),
        },
      },
    },
    async ({ params, who }) => {
      const { url, status, headers, body } = await read(await findCapture(who, params), params.job);
      await body.return(undefined);
      return { url, status, headers: headers.map(([name, value]) => ({ name, value })) };
    },
  );
};

async function* withFirst(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
