import { z } from "zod";
import { pageOf } from "../../schemas/describe.ts";
import { newJobSchema } from "../../schemas/job-options.ts";
import { createdJobSchema, failureTimesSchema, jobParams, jobQuery, jobSchema } from "../../schemas/job.ts";
import { isAtLeast } from "../../services/context.ts";
import { findJob, sealJob } from "../../services/jobs.ts";
import { failureTimesView } from "../../services/job-view.ts";
import { jobInputsFrom } from "../../services/load-inputs.ts";
import { submitJob } from "../../services/submit.ts";
import { fromCursor, json, listOf, page, problems, refuseCursor } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

const place = z.string().max(100);

export const addJobRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;

  app.post(
    "/v1/jobs",
    {
      bodyLimit: 2 * 1024 * 1024,
      config: { creates: true },
      schema: {
        operationId: "createJob",
        summary: "Create a job",
        description:
          "The job starts immediately. Inputs that the scraper does not accept are rejected one by one; if it accepts none, no job is created. With `inputsFrom`, a controller loads the inputs and seals the job.",
        tags: ["jobs"],
        body: newJobSchema,
        response: {
          201: json("The job. `Location` has its path.", createdJobSchema),
          ...problems(409, 413, 415, 422),
        },
      },
    },
    async ({ body, actor, creation }, reply) => {
      const { scraper, inputs = [], seal = inputs.length > 0, extracts, maxItems, ...others } = body;
      const { inputsFrom, ...options } = others;
      const { view, rejected } = await submitJob(service, {
        creation: creation!,
        client: actor.client,
        scraper: await service.scrapers.find(scraper, actor),
        inputs,
        options,
        seal,
        guardsTargets: true,
        extracts,
        maxItems,
        ...(inputsFrom && { inputsFrom: await jobInputsFrom(service, actor, inputsFrom, body) }),
      });
      return await reply
        .code(201)
        .header("location", `/v1/jobs/${view.spec.id}`)
        .send({ job: context.show(view), rejected });
    },
  );

  app.get(
    "/v1/jobs",
    {
      schema: {
        operationId: "listJobs",
        summary: "List jobs",
        description: "Newest first.",
        tags: ["jobs"],
        querystring: jobQuery,
        response: { 200: json("A page of jobs.", pageOf(jobSchema)), ...problems() },
      },
    },
    async ({ query, actor }) => {
      const { state, scraper, label, limit } = query;
      const after = fromCursor(query.cursor, place);
      const states = listOf(state);
      const client = isAtLeast(actor.role, "operator") ? query.client : actor.client;
      // A well-formed cursor may come from another list.
      if (after !== undefined) await findJob(service, actor, after).catch(refuseCursor);
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
        summary: "Get a job",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The job.", jobSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => await context.showCurrent(await findJob(service, actor, params.job)),
  );

  app.get(
    "/v1/jobs/:job/failures",
    {
      schema: {
        operationId: "getFailures",
        summary: "Get the failures of a job over time",
        description:
          "By span of time and kind, counted when an attempt is settled. A failed item that is retried later stays counted when it failed. Spans become longer as the job does.",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The failures.", failureTimesSchema), ...problems(404) },
      },
    },
    async ({ params, actor }) => {
      const { spec } = await findJob(service, actor, params.job);
      return failureTimesView(await service.ledger.readFailures(spec.id));
    },
  );

  app.post(
    "/v1/jobs/:job/seal",
    {
      schema: {
        operationId: "sealJob",
        summary: "Seal a job",
        description:
          "The job accepts no more inputs, and ends when its items have ended. Sealing it again changes nothing.",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The job.", jobSchema), ...problems(404, 409, 413, 415) },
      },
    },
    async ({ params, actor }) => context.show(await sealJob(service, actor, params.job)),
  );
};

const splitLabel = (label: string): readonly [string, string] => {
  const equals = label.indexOf("=");
  return [label.slice(0, equals), label.slice(equals + 1)];
};
