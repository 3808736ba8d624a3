import { z } from "zod";
import { CHANGES } from "../../domain/freshness.ts";
import { ITEM_STATES } from "../../domain/item.ts";
import { CAPS, PAUSE_CAUSES } from "../../domain/job.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import { named, says } from "../api-registry.ts";
import { evidenceSchema } from "./evidence.ts";
import { failureKind } from "./failure.ts";
import { instant } from "./instant.ts";
import { budgetSchema, freshnessSchema } from "./job-options.ts";

export const JOB_STATES = ["loading", "running", "paused", "done", "cancelled"] as const;

const count = z.int().min(0);
/** Requests a second; null stands for no limit. */
export const perSecond = z.number().nullable();

const countsOf = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>);

const heldSchema = z.object({
  lane: z.string(),
  reason: z.string(),
  evidence: says("What the breaker decided by.", evidenceSchema),
  heldAt: instant,
  probeAt: says(
    "When one item is let through to see whether the site has healed; left out when a person must decide.",
    instant,
  ).optional(),
});

export const rejectSchema = named(
  "RejectedInput",
  z.object({
    line: says("Where it stood, from 1.", z.int()),
    parent: says("Key of the item on whose pages it was found.", z.string()).optional(),
    problem: z.string(),
  }),
);

export const jobSchema = named(
  "Job",
  z.object({
    id: z.string(),
    client: z.string(),
    scraper: z.string(),
    version: z.string(),
    scrapers: says(
      "The root and those that it emits to, in the versions that the job is pinned to.",
      z.array(
        z.object({
          name: z.string(),
          version: z.string(),
          earlier: says(
            "Versions that the job has had before, the oldest first.",
            z.array(z.string()),
          ).optional(),
        }),
      ),
    ),
    extraction: says(
      "The extraction whose records are current: states, failures and fields are as it has them. Left out where they are the run's own, and in lists.",
      z.string(),
    ).optional(),
    state: z.enum(JOB_STATES),
    isSealed: says("No more inputs will come.", z.boolean()),
    isBatch: z.boolean(),
    createdAt: instant,
    endedAt: instant.optional(),
    paused: says(
      "Only while it is paused. `asked`: somebody wanted it. `lanes-held`: the breaker holds all of its lanes, see `held`. `scraper`: its scraper was changed, or cannot be loaded. `new-version`: its stored pages are read with the new version of its scraper, then it goes on.",
      z.object({ cause: z.enum(PAUSE_CAUSES), reason: z.string(), at: instant }),
    ).optional(),
    options: z.object({
      priority: z.int(),
      pace: z.object({ perSecond, burst: z.number(), concurrency: z.number() }),
      maxAttempts: z.int().optional(),
      maxItems: z.int().optional(),
      maxDepth: says("Only in a job whose scrapers emit.", count).optional(),
      maxChain: says(
        "Only in a job with a scraper that emits to itself; the highest of its scrapers.",
        count,
      ).optional(),
      deadlineAt: instant.optional(),
      budget: budgetSchema.optional(),
      freshness: freshnessSchema.optional(),
      webhook: z.string().optional(),
      progressMs: z.int().optional(),
      extracts: z.boolean(),
    }),
    labels: z.record(z.string(), z.string()),
    counts: says(
      "received = accepted + folded + rejected + capped, and accepted = the sum of the states, at any moment.",
      z.object({
        received: count,
        accepted: count,
        folded: count,
        rejected: count,
        capped: says("Kept, and let in when the limit is raised: see `resume`.", count),
        partial: count,
        states: countsOf(ITEM_STATES),
      }),
    ),
    cappedBy: says("The capped inputs by the limit that keeps them out.", countsOf(CAPS)),
    progress: z.object({
      ended: count,
      share: says("Of those accepted, 0 to 1.", z.number()),
      perSecond: says("Items that end, lately.", z.number()).nullable(),
      etaAt: says("When the last would end at this rate.", instant).nullable(),
    }),
    failures: says(
      "Of items that failed for good.",
      z.array(z.object({ kind: failureKind, count, exampleKey: z.string(), exampleDetail: z.string() })),
    ),
    attemptFailures: says(
      "Failed attempts by kind, retried ones included.",
      z.partialRecord(failureKind, count),
    ),
    fields: says(
      "How often each field was present, empty, missing or malformed. An optional one may be missing without making its record partial.",
      z.record(z.string(), countsOf(FIELD_STATUSES).extend({ isOptional: z.boolean() })),
    ),
    held: says("Lanes at which the breaker has stopped this job.", z.array(heldSchema)),
    rejects: says("The first rejected inputs.", z.array(rejectSchema)),
    cost: z.object({ requests: count, bytes: count }),
    budgetSpentAt: says(
      "When its budget was spent: what had not begun by then has failed with `budget`.",
      instant,
    ).optional(),
    changes: says(
      "What became of its items since the client last had them; only in a job with `freshness`. `gone` is the site's own word, and never a block.",
      countsOf(CHANGES),
    ).optional(),
    pagesRemoved: says(
      "Its pages and files were removed then; its records are kept.",
      z.object({ at: instant, captures: count, bytes: count }),
    ).optional(),
  }),
);

export type ApiJob = z.infer<typeof jobSchema>;
