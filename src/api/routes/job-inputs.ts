import type { Readable } from "node:stream";
import { z } from "zod";
import { readInputs } from "../../inputs/read-inputs.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import type { RouteContext } from "../route-context.ts";
import { checkHoldings } from "../holdings.ts";
import { holdUpload } from "../hold-upload.ts";
import { Problem } from "../problem.ts";
import { jobParams } from "../schemas/params.ts";
import { takeInputs } from "../take-inputs.ts";
import { readMark } from "../upload-mark.ts";

const FORMATS = {
  "application/x-ndjson": "ndjson",
  "application/jsonl": "ndjson",
  "text/csv": "csv",
} as const;
const TYPES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

/** Some thousands of the shortest rows: other requests wait no longer than these take. */
const PIECE_LENGTH = 8 * 1024;

const count = z.int();
const uploadSchema = named(
  "Upload",
  z.object({
    offset: says("Inputs taken so far: where an upload that broke off goes on.", count),
    accepted: count,
    folded: says("Whose key the job already had.", count),
    rejected: says("That did not fit the scraper.", count),
    capped: says("Beyond the job's `maxItems`.", count),
  }),
);

export const addInputRoutes = (app: Api, context: RouteContext): void => {
  const { service, now } = context;
  const { registry, blobs } = service;
  app.addContentTypeParser(TYPES, (_request, payload, done) => done(null, payload));

  app.post(
    "/v1/jobs/:job/inputs",
    {
      config: { isStreamed: true },
      schema: {
        operationId: "addInputs",
        summary: "Stream inputs into a job",
        description: `NDJSON (an object a line) or CSV (with a header), gzip accepted, of any length: it is read as it arrives, and its first items run meanwhile.

An upload that breaks off can be resumed. \`GET\` of the same path tells the offset: how many inputs (rows of CSV without its header, lines that are not blank) have been taken. Send the rest with \`Upload-Offset: N\`, N being how many inputs come before the first of the body (a CSV body begins with its header again). Inputs before the server's own offset are passed over, so \`Upload-Offset: 0\` with the whole file is right too. Without the header the inputs are added to those taken before. One upload at a time.`,
        tags: ["jobs"],
        consumes: TYPES,
        params: jobParams,
        headers: z.object({
          "upload-offset": says(
            "Inputs of the upload that come before the first one of this body.",
            z.coerce.number().int().min(0),
          ).optional(),
        }),
        querystring: z.strictObject({
          seal: says("No more inputs will come after these.", z.enum(["true", "false"])).default("false"),
        }),
        body: says("The inputs: text, or gzip of it.", z.any()),
        response: {
          200: json("What has been taken, in all.", uploadSchema),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const { params, headers, query, body, who, raw } = request;
      const { job } = params;
      const { spec, state, isSealed } = await context.findJob(who, job);
      if (state === "cancelled" || state === "done")
        throw new Problem("job-ended", `${job}: the job has ended and takes no more inputs. Start another.`);
      if (isSealed) throw new Problem("job-sealed", `${job}: the job is sealed. Start another.`);
      const type = (raw.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
      if (!isFormat(type) || !isReadable(body))
        throw new Problem("unsupported-media-type", `Send ${TYPES.join(" or ")}.`);
      const encoding = raw.headers["content-encoding"];
      if (encoding !== undefined && encoding !== "gzip" && encoding !== "identity")
        throw new Problem("unsupported-media-type", `Content-Encoding ${encoding}: only gzip is taken.`);
      const ready = await service.scrapers.load(spec.source);
      if (ready.version !== spec.version)
        throw new Problem(
          "scraper-changed",
          `${spec.scraper} has another version here (${ready.version}) than the job is pinned to (${spec.version}). Resume the job with \`newVersion\`, or start another.`,
        );

      await checkHoldings(service, spec.client, { isNew: false });
      context.streams.open("upload", request, reply);
      await using hold = await holdUpload(registry, job);
      try {
        const offset = headers["upload-offset"];
        const mark = await takeInputs(
          service,
          {
            job,
            client: spec.client,
            ready,
            rows: readInputs(body, { format: FORMATS[type], pieceLength: PIECE_LENGTH }),
            ...(offset !== undefined && { offset }),
            isGone: () => raw.socket.destroyed,
            mustHold: () => hold.check(),
          },
          now,
        );
        if (query.seal === "true") await service.ledger.sealJob(job);
        return mark;
      } catch (error) {
        if (!raw.destroyed || raw.complete) throw error;
        throw new Problem("bad-inputs", "The connection ended before the body did.", {}, { cause: error });
      }
    },
  );

  app.get(
    "/v1/jobs/:job/inputs",
    {
      schema: {
        operationId: "getUpload",
        summary: "How many streamed inputs a job has taken",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("Where the upload stands.", uploadSchema), ...problems(404) },
      },
    },
    async ({ params: { job }, who }) => {
      await context.findJob(who, job);
      return await readMark(blobs, job);
    },
  );
};

const isFormat = (type: string): type is keyof typeof FORMATS => Object.hasOwn(FORMATS, type);

const isReadable = (body: unknown): body is Readable =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body;
