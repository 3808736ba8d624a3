import { z } from "zod";
import {
  jobParams,
  jobSchema,
  resumeSchema,
  retrySchema,
  stoppedSchema,
  stopQuery,
} from "../../schemas/job.ts";
import { retryItems } from "../../services/items.ts";
import { readJob, resumeJob, stopJob } from "../../services/jobs.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import type { RouteContext } from "../route-context.ts";

export const addJobControlRoutes = (app: Api, context: RouteContext): void => {
  const { service } = context;

  for (const to of ["pause", "cancel"] as const)
    app.post(
      `/v1/jobs/:job/${to}`,
      {
        schema: {
          operationId: `${to}Job`,
          summary: to === "pause" ? "Pause a job" : "Cancel a job",
          description:
            to === "pause"
              ? "Responds when no further request of the job can reach a site. `resume` continues the job."
              : "Items that have not ended are cancelled; what was collected is kept. Responds when no further request of the job can reach a site. Items in flight end normally and are counted: the job has `endedAt` when none is left.",
          tags: ["jobs"],
          params: jobParams,
          querystring: stopQuery,
          response: {
            200: json("The job has stopped.", stoppedSchema),
            202: json("The job is still stopping; repeat the request to wait longer.", stoppedSchema),
            ...problems(404, 409, 413, 415),
          },
        },
      },
      async ({ params, query: { waitMs }, actor, raw }, reply) => {
        const isGone = () => raw.socket.destroyed;
        const { view, isQuiet } = await stopJob(service, actor, params.job, { to, waitMs, isGone });
        return await reply.code(isQuiet ? 200 : 202).send({ job: context.show(view), isQuiet });
      },
    );

  app.post(
    "/v1/jobs/:job/resume",
    {
      schema: {
        operationId: "resumeJob",
        summary: "Resume a job",
        description: `Also releases the lanes that the breaker holds for it. With higher limits, inputs that were capped are accepted, even if the job had ended. Inputs that a daily quota excluded are tried again with today's quota.

With \`newVersion\`, the job continues with the current version of its scrapers. Its stored pages are read with that version first: until then the job is paused with the cause \`new-version\`, and it then continues automatically. Items that failed as \`structure-changed\` are not fetched again. A version that gives items other keys or lanes, or accepts other inputs, is refused with \`new-version-refused\`.`,
        tags: ["jobs"],
        params: jobParams,
        body: resumeSchema.nullish(),
        response: { 200: json("The job.", jobSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params, body, actor }) => {
      const { newVersion = false, ...caps } = body ?? {};
      return context.show(await resumeJob(service, actor, params.job, { caps, newVersion }));
    },
  );

  app.post(
    "/v1/jobs/:job/retry",
    {
      schema: {
        operationId: "retryJob",
        summary: "Retry failed items",
        description: "All failed items, those of some kinds, or some items, as if they had never been tried.",
        tags: ["jobs"],
        params: jobParams,
        body: retrySchema.nullish(),
        response: {
          200: json("The number of retried items.", z.object({ job: jobSchema, retried: z.int() })),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async ({ params: { job }, body, actor }) => {
      const retried = await retryItems(service, actor, job, body ?? {});
      return { job: context.show(await readJob(service, job)), retried };
    },
  );
};
