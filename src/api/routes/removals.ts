import { z } from "zod";
import { REMOVAL_SCOPES } from "../../domain/removal.ts";
import { type DuePart, markDue, planPrune, type PruneTools } from "../../retention/plan-prune.ts";
import { storedBytes } from "../../retention/finish-removals.ts";
import { json, problems } from "../answers.ts";
import type { Api, Who } from "../api.ts";
import { named, says } from "../api-registry.ts";
import type { RouteContext } from "../route-context.ts";
import { isoTime } from "../iso-time.ts";
import { Problem } from "../problem.ts";
import { instant } from "../schemas/instant.ts";
import { jobParams } from "../schemas/params.ts";
import { removalAnswer, removalSchema } from "../schemas/removal.ts";

const keep = says("`records`: only pages and files are removed.", z.literal("records"));
/** Jobs a request: each is marked in a transaction of its own. */
const MOST = 500;
const LONGEST_MS = 100 * 365 * 86_400_000;

const pruneSchema = z.strictObject({
  olderThanMs: says(
    "Jobs that ended longer ago. Left out, what the scrapers' `retention` says is due.",
    z.int().min(0).max(LONGEST_MS),
  ).optional(),
  keep: keep.optional(),
  scraper: says("Only jobs of this one.", z.string().min(1).max(64)).optional(),
  dryRun: says("Nothing is removed.", z.boolean()).default(false),
});

const dueSchema = named(
  "DueRemoval",
  z.object({
    job: z.string(),
    scraper: z.string(),
    what: z.enum(REMOVAL_SCOPES),
    endedAt: instant,
    items: z.int(),
    bytes: says("What it takes up in the archive; in a dry run.", z.int()).optional(),
  }),
);

const pinnedRetention: PruneTools["retentionOf"] = async ({ spec }) => spec.retention;

export const addRemovalRoutes = (app: Api, context: RouteContext): void => {
  const { ledger, blobs, retentionOf = () => pinnedRetention } = context.service;

  app.delete(
    "/v1/jobs/:job",
    {
      schema: {
        operationId: "removeJob",
        summary: "Remove a job that has ended, with everything it has",
        description:
          "From now on it cannot be read; its data is deleted in the background, see `getRemoval`. What items of other jobs point to stays until those have gone. Removing it again changes nothing.",
        tags: ["jobs"],
        params: jobParams,
        querystring: z.strictObject({ keep: keep.optional() }),
        response: { 202: json("It is being removed.", removalSchema), ...problems(404, 409) },
      },
    },
    async ({ params: { job }, query, who }, reply) => {
      const known = await removedOf(who, job);
      if (!known) await context.findJob(who, job);
      const removal = known ?? (await ledger.removals.mark(job, query.keep ? "pages" : "job"));
      return await reply.code(202).send(removalAnswer(removal));
    },
  );

  app.get(
    "/v1/jobs/:job/removal",
    {
      schema: {
        operationId: "getRemoval",
        summary: "What was removed of a job, or of its pages",
        tags: ["jobs"],
        params: jobParams,
        response: { 200: json("The removal.", removalSchema), ...problems(404) },
      },
    },
    async ({ params: { job }, who }) => {
      const known = await removedOf(who, job);
      if (known) return removalAnswer(known);
      await context.findJob(who, job);
      const removal = await ledger.removals.read(job);
      if (removal) return removalAnswer(removal);
      throw new Problem("not-found", `${job}: nothing was removed of the job.`);
    },
  );

  app.post(
    "/v1/prune",
    {
      config: { role: "operator" },
      schema: {
        operationId: "prune",
        summary: "Remove old jobs of all clients, or their pages",
        description: `Marks at most ${MOST} jobs; with \`isMore\`, ask again. They are deleted in the background, see \`getRemoval\`.`,
        tags: ["jobs"],
        body: pruneSchema,
        response: {
          200: json(
            "What is removed from now on, or would be.",
            z.object({ data: z.array(dueSchema), isMore: z.boolean() }),
          ),
          ...problems(413, 415),
        },
      },
    },
    async ({ body }) => {
      const { olderThanMs, scraper, dryRun } = body;
      const plan: DuePart[] = [];
      const wish = {
        ...(olderThanMs !== undefined && { olderThanMs }),
        ...(body.keep && { keepsRecords: true }),
        ...(scraper !== undefined && { scraper }),
      };
      for await (const part of planPrune({ ledger, retentionOf: retentionOf(), now: context.now }, wish))
        if (plan.push(part) > MOST) break;
      const data = [];
      for (const { endedAt, ...part } of plan.slice(0, MOST)) {
        const shown = { ...part, endedAt: isoTime(endedAt) };
        if (dryRun) data.push({ ...shown, bytes: await storedBytes(blobs, part.job, part.what) });
        else if (await markDue(ledger, part)) data.push(shown);
      }
      return { data, isMore: plan.length > MOST && !dryRun };
    },
  );

  /** Whoever may have seen the job may see what is left of it. */
  async function removedOf(who: Who, job: string) {
    const removal = await ledger.removals.read(job);
    return removal?.what === "job" && context.mayRead(who, removal.client) ? removal : undefined;
  }
};
