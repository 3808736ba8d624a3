import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { says } from "../api-registry.ts";
import type { RouteContext } from "../route-context.ts";
import { takeNewVersion } from "../../reextract/take-new-version.ts";
import { Problem } from "../problem.ts";
import { failureKind } from "../schemas/failure.ts";
import { jobSchema } from "../schemas/job.ts";
import { numberIn } from "../schemas/number-in.ts";
import { jobParams } from "../schemas/params.ts";

const stoppedSchema = z.object({
  job: jobSchema,
  isQuiet: says("No request of the job can start any more.", z.boolean()),
});

const waitQuery = z.strictObject({
  waitMs: says(
    "How long to wait until no request of the job can start any more.",
    z.coerce.number().int().min(0).max(60_000),
  ).default(20_000),
});

/** Between two questions, whatever the ledger proposes. */
const SHORTEST_MS = 10;
const LONGEST_MS = 1000;
const AGAIN_MS = 50;
/** For items in workers' hands, before a job is pinned to other versions. */
const WAIT_MS = 20_000;

export const addJobControlRoutes = (app: Api, context: RouteContext): void => {
  const { ledger, laneOf } = context.service;

  /** Then, for a cancelled job, until what was in flight is counted: its answer has the final numbers where that is soon. */
  const untilQuiet = async (job: string, waitMs: number, isGone: () => boolean): Promise<boolean> => {
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const reply = await ledger.isQuiet(job);
      if (reply.quiet) {
        const view = await ledger.readJob(job);
        if (view?.state !== "cancelled" || view.endedAt !== undefined) return true;
      }
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0 || isGone()) return reply.quiet;
      const againInMs = reply.quiet ? AGAIN_MS : reply.againInMs;
      await delay(Math.min(leftMs, LONGEST_MS, Math.max(SHORTEST_MS, againInMs)));
    }
  };

  for (const to of ["pause", "cancel"] as const)
    app.post(
      `/v1/jobs/:job/${to}`,
      {
        schema: {
          operationId: `${to}Job`,
          summary: to === "pause" ? "Pause a job" : "Cancel a job",
          description:
            to === "pause"
              ? "Answers when no further request of it can reach a site. It goes on with `resume`."
              : "Items that have not ended are cancelled; what was collected is kept. Answers when no further request of the job can reach a site. Items in flight end as they do and are counted: the job has `endedAt` when none is left.",
          tags: ["jobs"],
          params: jobParams,
          querystring: waitQuery,
          response: {
            200: json("It has stopped.", stoppedSchema),
            202: json("It is stopping, and that takes longer: ask again.", stoppedSchema),
            ...problems(404, 409, 413, 415),
          },
        },
      },
      async ({ params: { job }, query, who, raw }, reply) => {
        await context.findJob(who, job);
        await ledger.controlJob(job, to);
        const isQuiet = await untilQuiet(job, query.waitMs, () => raw.socket.destroyed);
        return await reply.code(isQuiet ? 200 : 202).send({ job: await context.showNow(job), isQuiet });
      },
    );

  app.post(
    "/v1/jobs/:job/resume",
    {
      schema: {
        operationId: "resumeJob",
        summary: "Let a job go on",
        description: `Also releases the lanes at which the breaker has stopped it. With higher limits, a job goes on with the inputs that were capped, also one that has ended; those that the quota of a day kept out, with today's.

With \`newVersion\`, it goes on with its scrapers as they are now. Its stored pages are read with them first: until that has ended, the job is paused with the cause \`new-version\`, and then goes on by itself. Items that failed as \`structure-changed\` are not fetched again. A version that gives items other keys or lanes, or takes other inputs, is refused with \`new-version-refused\`.`,
        tags: ["jobs"],
        params: jobParams,
        body: z
          .strictObject({
            maxItems: says("Items in all, found ones included.", numberIn("maxItems")).optional(),
            maxDepth: says("Steps from one scraper to another.", numberIn("maxDepth")).optional(),
            maxChain: says(
              "Next pages in a row that a scraper emits to itself.",
              numberIn("maxChain"),
            ).optional(),
            newVersion: says("Go on with the scrapers as they are now.", z.boolean()).optional(),
          })
          .nullish(),
        response: { 200: json("The job.", jobSchema), ...problems(404, 409, 413, 415, 422) },
      },
    },
    async ({ params: { job }, body, who }) => {
      const view = await context.findJob(who, job);
      const { maxItems, maxDepth, maxChain, newVersion } = body ?? {};
      if ((maxItems ?? maxDepth ?? maxChain) !== undefined || view.cappedBy.quota > 0)
        await ledger.raiseCaps(job, {
          ...(maxItems !== undefined && { maxItems }),
          ...(maxDepth !== undefined && { maxDepth }),
          ...(maxChain !== undefined && { maxChain }),
        });
      if (newVersion) {
        const isTaken = await takeNewVersion(ledger, view, { laneOf, waitMs: WAIT_MS });
        if (isTaken) return await context.showNow(job);
      }
      await ledger.controlJob(job, "resume");
      return await context.showNow(job);
    },
  );

  app.post(
    "/v1/jobs/:job/retry",
    {
      schema: {
        operationId: "retryJob",
        summary: "Try failed items again",
        description:
          "All that failed, or those of some kinds, or some items, as if they had never been tried.",
        tags: ["jobs"],
        params: jobParams,
        body: z
          .strictObject({
            kinds: z.array(failureKind).min(1).optional(),
            keys: z.array(z.string().min(1).max(8000)).min(1).max(1000).optional(),
            items: says("Ids of items.", z.array(z.string().max(100)).min(1).max(1000)).optional(),
          })
          .nullish(),
        response: {
          200: json("How many are tried again.", z.object({ job: jobSchema, retried: z.int() })),
          ...problems(404, 409, 413, 415, 422),
        },
      },
    },
    async ({ params: { job }, body, who }) => {
      const { state } = await context.findJob(who, job);
      if (state === "cancelled") throw new Problem("job-ended", `${job}: the job was cancelled.`);
      const { kinds, keys, items } = body ?? {};
      const named = [...(keys ?? [])];
      for (const id of items ?? []) named.push((await context.findItem(who, job, id)).key);
      const isNamed = keys !== undefined || items !== undefined;
      const retried = await ledger.retryItems(job, {
        ...(kinds && { kinds }),
        ...(isNamed && { keys: named }),
      });
      return { job: await context.showNow(job), retried };
    },
  );
};
