import { Readable } from "node:stream";
import { z } from "zod";
import { isPacked } from "../../archive/read-capture.ts";
import { type CaptureStream, streamCapture } from "../../archive/stream-capture.ts";
import type { CaptureRef } from "../../domain/capture.ts";
import { BlobError } from "../../ports/blobs.ts";
import { described } from "../../schemas/describe.ts";
import { captureHeadSchema, captureSchema } from "../../schemas/item.ts";
import { itemParams } from "../../schemas/job.ts";
import { captureView, isOfJob, tellDamage } from "../../services/item-view.ts";
import { findCapture, findItem } from "../../services/items.ts";
import { Problem } from "../../services/problem.ts";
import { json, problems, stream } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const captureParams = itemParams.extend({
  number: described("Index of the capture within the item, from 0.", z.coerce.number().int().min(0)),
});

/** Codings that every client can undo. Bodies in other codings are sent as they are, without a header. */
const CODINGS = new Set(["gzip", "x-gzip", "deflate", "br", "zstd"]);
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i;

/** No link to an object of another job: it would reveal that job's name. */
const isOwnObject = (ref: CaptureRef, job: string): boolean => !isPacked(ref) && isOfJob(ref, job);

export const addCaptureRoutes = (app: Api, context: RouteContext): void => {
  const { service, streams } = context;
  const { blobs, linkTo } = service;

  /** With the first piece of its body: an error before that can still be answered as a problem. */
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
      throw new Problem("not-found", "The capture is no longer in the archive.", {}, { cause: error });
    }
  };

  app.get(
    "/v1/jobs/:job/items/:item/captures",
    {
      schema: {
        operationId: "listCaptures",
        summary: "List the captures of an item",
        tags: ["items"],
        params: itemParams,
        response: {
          200: json("The captures.", z.object({ data: z.array(captureSchema) })),
          ...problems(404),
        },
      },
    },
    async ({ params, actor }) => {
      const { captures } = await findItem(service, actor, params.job, params.item);
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
        summary: "Get the body of a capture",
        description:
          "The bytes as received, in their original content coding. The page comes from a third party, so it is sent as a download and must not be executed.",
        tags: ["items"],
        params: captureParams,
        response: { 200: stream("The bytes.", z.string(), "*/*"), ...problems(404) },
      },
    },
    async (request, reply) => {
      const { params, actor } = request;
      const ref = await findCapture(service, actor, params);
      streams.open("download", request, reply);
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
        summary: "Get the response headers of a capture",
        tags: ["items"],
        params: captureParams,
        response: {
          200: json("The status and headers, with secrets redacted.", captureHeadSchema),
          ...problems(404),
        },
      },
    },
    async ({ params, actor }) => {
      const { url, status, headers, body } = await read(
        await findCapture(service, actor, params),
        params.job,
      );
      await body.return(undefined);
      return { url, status, headers: headers.map(([name, value]) => ({ name, value })) };
    },
  );
};

async function* withFirst(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
