import { z } from "zod";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { says } from "../api-registry.ts";
import { isAtLeast } from "../auth.ts";
import { fromCursor, page, pageOf, pageQuery, refuseCursor } from "../cursor.ts";
import type { RouteContext } from "../route-context.ts";
import { listOf, many } from "../many.ts";
import { Problem } from "../problem.ts";
import { JOB_STATES, jobSchema, rejectSchema } from "../schemas/job.ts";
import { newJobSchema } from "../schemas/job-options.ts";
import { jobParams } from "../schemas/params.ts";
import { startJob } from "../start-job.ts";

const place = z.string().max(100);

export const addJobRoutes = (app: Api, context: RouteContext): void => {
  const { service, now } = context;

  app.post(
    "/v1/jobs",
    {
      bodyLimit: 2 * 1024 * 1024,
      config: { isOnce: true },
      schema: {
        operationId: "createJob",
        summary: "Start a job",
        description:
          "It runs at once. Inputs that do not fit are rejected one by one; when none fits, no job is made.",
        tags: ["jobs"],
        body: newJobSchema,
        response: {
          201: json(
            "The job. `Location` is where it is.",
            z.object({
              job: jobSchema,
              rejected: says("Of the inputs given.", z.array(rejectSchema)),
            }),
          ),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async ({ body, who, once }, reply) => {
      const { scraper, inputs = [], seal = inputs.length > 0, extracts, maxItems, ...asked } = body;
      const ready = await service.scrapers.find(scraper);
      const started = await startJob(
        service,
        {
          once: once!,
          client: who.client,
          ready,
          inputs,
          asked,
          seals: seal,
          ...(extracts !== undefined && { extracts }),
          ...(maxItems !== undefined && { maxItems }),
        },
        now(),
      );
      return await reply
        .code(201)
        .header("location", `/v1/jobs/${started.job}`)
        .send({ job: await context.showNow(started.job), rejected: [...started.rejected] });
    },
  );

  app.get(
    "/v1/jobs",
    {
      schema: {
        operationId: "listJobs",
        summary: "List jobs, the newest first",
        tags: ["jobs"],
        querystring: z.strictObject({
          state: many(z.enum(JOB_STATES)).optional(),
          scraper: z.string().max(64).optional(),
          label: says("As `name=value`.", z.string().regex(/^[^=]{1,100}=.{1,100}$/)).optional(),
          client: says("Of another client: for operators.", z.string().max(100)).optional(),
          ...pageQuery(100, 20),
        }),
        response: { 200: json("A page of jobs.", pageOf(jobSchema)), ...problems() },
      },
    },
    async ({ query, who }) => {
      const { state, scraper, label, limit } = query;
      const after = fromCursor(query.cursor, place);
      const states = listOf(state);
      const client = isAtLeast(who.role, "operator") ? query.client : who.client;
      // A well-made cursor may be of a list of something else.
      if (after !== undefined) await context.findJob(who, after).catch(refuseCursor);
      const jobs = await service.ledger.listJobs({
        limit,
        ...(client !== undefined && { client }),
        ...(states && { states }),
        ...(scraper !== undefined && { scraper: await service.scrapers.ownName(scraper) }),
        ...(label !== undefined && { label: splitLabel(label) }),
        ...(after !== undefined && { after }),
      });
      const last = jobs.length < limit ? undefined : jobs.at(-1)?.spec.id;
      return page(
        jobs.map((view) => context.show(view)),
        last,
      );
    },
  );

  app.get(
    "/v1/jobs/:job",
    {
      schema: {
        operationId: "getJob",
        summary: "Where a job stands",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The job.", jobSchema), ...problems(404) },
      },
    },
    async ({ params, who }) => await context.showCurrent(await context.findJob(who, params.job)),
  );

  app.post(
    "/v1/jobs/:job/seal",
    {
      schema: {
        operationId: "sealJob",
        summary: "Say that no more inputs will come",
        description: "The job is done when its items are. Sealing it again changes nothing.",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The job.", jobSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, who }) => {
      const { state, isSealed } = await context.findJob(who, params.job);
      if (state === "cancelled") throw new Problem("job-ended", `${params.job}: the job was cancelled.`);
      if (!isSealed) await service.ledger.sealJob(params.job);
      return await context.showNow(params.job);
    },
  );
};

const splitLabel = (label: string): readonly [string, string] => {
  const equals = label.indexOf("=");
  return [label.slice(0, equals), label.slice(equals + 1)];
};
