import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { readInputs } from "../../inputs/read-inputs.ts";
import type { InputRow } from "../../pipeline/plan.ts";
import { described } from "../../schemas/describe.ts";
import { inputCheckSchema, jobParams, uploadSchema } from "../../schemas/job.ts";
import { checkInputs } from "../../services/check-inputs.ts";
import { findJob } from "../../services/jobs.ts";
import { Problem } from "../../services/problem.ts";
import { readUpload, uploadInputs } from "../../services/upload.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const FORMATS = {
  "application/x-ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "text/csv": "csv",
} as const;
export const INPUT_TYPES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

/** A few thousand of the shortest rows: other requests wait no longer than these take. */
const PIECE_LENGTH = 8 * 1024;

export const addInputRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;
  app.addContentTypeParser(INPUT_TYPES, (_request, payload, done) => done(null, payload));

  app.post(
    "/v1/jobs/:job/inputs",
    {
      config: { isStreamed: true },
      schema: {
        operationId: "addInputs",
        summary: "Upload inputs",
        description: `NDJSON (one object per line) or CSV (with a header), optionally gzipped, of any length. Items start to run while the upload is still in progress.

An interrupted upload can be resumed. \`GET\` on the same path returns the offset: how many inputs (CSV rows without the header, lines that are not blank) were accepted. Send the rest with \`Upload-Offset: N\`, where N is the number of inputs before the first one in the body (a CSV body starts with its header again). Inputs before the server's offset are skipped, so \`Upload-Offset: 0\` with the whole file works too. Without the header, the inputs are added to the earlier ones. A job accepts one upload at a time.`,
        tags: ["jobs"],
        consumes: INPUT_TYPES,
        params: jobParams,
        headers: z.object({
          "upload-offset": described(
            "Number of inputs of the upload before the first one in this body.",
            z.coerce.number().int().min(0),
          ).optional(),
        }),
        querystring: z.strictObject({
          seal: described("No more inputs will come after these.", z.enum(["true", "false"])).default(
            "false",
          ),
        }),
        body: described("The inputs: text, or gzipped text.", z.any()),
        response: {
          200: json("All inputs taken so far.", uploadSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const { params, headers, query, actor, raw } = request;
      const rows = rowsOf(context, request, reply);
      try {
        return await uploadInputs(service, actor, params.job, {
          rows,
          offset: headers["upload-offset"],
          seal: query.seal === "true",
          isGone: () => raw.socket.destroyed,
        });
      } catch (error) {
        if (!raw.destroyed || raw.complete) throw error;
        throw new Problem("bad-inputs", "The connection ended before the body did.", {}, { cause: error });
      }
    },
  );

  app.post(
    "/v1/scrapers/:scraper/check",
    {
      config: { isStreamed: true },
      schema: {
        operationId: "checkInputs",
        summary: "Check inputs without running them",
        description:
          "NDJSON or CSV, as for a job. Up to 100,000 inputs are checked against the scraper. Nothing is stored.",
        tags: ["scrapers"],
        consumes: INPUT_TYPES,
        params: z.object({ scraper: described("The scraper's name.", z.string().min(1).max(64)) }),
        body: described("The inputs: text, or gzipped text.", z.any()),
        response: {
          200: json("The result of the check.", inputCheckSchema),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async (request, reply) =>
      await checkInputs(service, request.actor, request.params.scraper, rowsOf(context, request, reply)()),
  );

  app.get(
    "/v1/jobs/:job/inputs",
    {
      schema: {
        operationId: "getUpload",
        summary: "Get the progress of an upload",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("All inputs taken so far.", uploadSchema), ...problems(404) },
      },
    },
    async ({ params: { job }, actor }) => {
      await findJob(service, actor, job);
      return await readUpload(service, job);
    },
  );
};

/** The inputs of a request's body, once they are asked for. */
export const rowsOf = (
  { streams }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): (() => AsyncIterable<readonly InputRow[]>) => {
  const { body, raw } = request;
  const type = (raw.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  if (!isFormat(type) || !isReadable(body))
    throw new Problem("unsupported-media-type", `Send ${INPUT_TYPES.join(" or ")}.`);
  const encoding = raw.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "gzip" && encoding !== "identity")
    throw new Problem("unsupported-media-type", `Content-Encoding ${encoding}: only gzip is supported.`);
  return () => {
    streams.open("upload", request, reply);
    return readInputs(body, { format: FORMATS[type], pieceLength: PIECE_LENGTH });
  };
};

const isFormat = (type: string): type is keyof typeof FORMATS => Object.hasOwn(FORMATS, type);

const isReadable = (body: unknown): body is Readable =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body;
