import { z } from "zod";
import { CHANGES } from "../domain/freshness.ts";
import { ITEM_STATES } from "../domain/item.ts";
import { CAPS, PAUSE_CAUSES } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import {
  type Answer,
  count,
  countsOf,
  described,
  type Filters,
  instant,
  many,
  named,
  numberIn,
  pageQuery,
  perSecond,
  type Request,
} from "./describe.ts";
import { evidenceSchema, failureKind, itemSchema, tierCost } from "./item.ts";
import { budgetSchema, freshnessSchema } from "./job-options.ts";

const JOB_STATES = ["loading", "running", "paused", "done", "cancelled"] as const;
export type JobState = (typeof JOB_STATES)[number];

const heldSchema = z.object({
  lane: z.string(),
  reason: z.string(),
  evidence: described("The outcomes that tripped the breaker.", evidenceSchema),
  heldAt: instant,
  probeAt: described(
    "When one item is let through to test the site. Absent if a person must decide.",
    instant,
  ).optional(),
});

const waySchema = z.object({
  lane: z.string(),
  scraper: z.string(),
  template: described("The URL path of the pages that this is about; empty for all pages.", z.string()),
  way: z.enum(["http", "browser"]),
  reason: z.string(),
});

export const ladderSchema = z.object({
  ladder: described("Tiers from cheap to expensive.", z.array(z.string())),
  tier: described("The tier that items use now.", z.string()),
  why: described("Why the lane is on this tier; absent on the first one.", z.string()).optional(),
  since: instant.optional(),
  outages: described(
    "Tiers whose proxies do not work now.",
    z.array(z.object({ tier: z.string(), why: z.string(), until: instant })),
  ),
  held: described("If no tier works: the reason. The lane then waits.", z.string()).optional(),
});

const rejectSchema = named(
  "RejectedInput",
  z.object({
    line: described("Line of the input, from 1.", z.int()),
    parent: described("Key of the item on whose pages it was found.", z.string()).optional(),
    problem: z.string(),
  }),
);
export type RejectedInput = Answer<typeof rejectSchema>;

export const paceSchema = z.object({ perSecond, burst: z.number(), concurrency: z.number() });
export type Pace = Answer<typeof paceSchema>;

export const jobSchema = named(
  "Job",
  z.object({
    id: z.string(),
    client: z.string(),
    scraper: z.string(),
    version: z.string(),
    scrapers: described(
      "The root scraper and those it emits to, at the versions the job is pinned to.",
      z.array(
        z.object({
          name: z.string(),
          version: z.string(),
          earlier: described("Earlier versions in this job, oldest first.", z.array(z.string())).optional(),
          proxies: described("Proxy tiers from cheap to expensive.", z.array(z.string())).optional(),
        }),
      ),
    ),
    extraction: described(
      "The extraction whose records are current; states, failures and fields are those of that extraction. Absent if the run's own records are current, and in lists.",
      z.string(),
    ).optional(),
    state: z.enum(JOB_STATES),
    isSealed: described("The job takes no more inputs.", z.boolean()),
    isBatch: z.boolean(),
    createdAt: instant,
    endedAt: instant.optional(),
    paused: described(
      "Present while the job is paused. `asked`: someone paused it. `lanes-held`: the breaker holds all of its lanes, see `held`. `scraper`: its scraper changed or cannot be loaded. `budget`: its budget is spent, resume it with a higher one. `new-version`: its stored pages are being read with the new version of its scraper; it then resumes automatically.",
      z.object({ cause: z.enum(PAUSE_CAUSES), reason: z.string(), at: instant }),
    ).optional(),
    options: z.object({
      priority: z.int(),
      pace: paceSchema,
      maxAttempts: z.int().optional(),
      maxItems: z.int().optional(),
      maxDepth: described("Only if the job's scrapers emit.", count).optional(),
      maxChain: described(
        "Only if a scraper emits to itself; the highest of all scrapers.",
        count,
      ).optional(),
      deadlineAt: instant.optional(),
      budget: budgetSchema.optional(),
      proxies: described("The only proxy tiers that the job may use.", z.array(z.string())).optional(),
      freshness: freshnessSchema.optional(),
      webhook: z.string().optional(),
      progressMs: z.int().optional(),
      extracts: z.boolean(),
    }),
    labels: z.record(z.string(), z.string()),
    counts: described(
      "At any time, received = accepted + folded + rejected + capped, and accepted = the sum of the states.",
      z.object({
        received: count,
        accepted: count,
        folded: count,
        rejected: count,
        capped: described("Stored, and accepted when the limit is raised: see `resume`.", count),
        partial: count,
        states: countsOf(ITEM_STATES),
      }),
    ),
    cappedBy: described("Capped inputs, by limit.", countsOf(CAPS)),
    progress: z.object({
      ended: count,
      share: described("Fraction of accepted items that have ended, 0 to 1.", z.number()),
      perSecond: described("Current rate of items that end.", z.number()).nullable(),
      etaAt: described("Estimated end at the current rate.", instant).nullable(),
    }),
    failures: described(
      "Failed items by kind.",
      z.array(z.object({ kind: failureKind, count, exampleKey: z.string(), exampleDetail: z.string() })),
    ),
    attemptFailures: described(
      "Failed attempts by kind, including retried ones.",
      z.partialRecord(failureKind, count),
    ),
    fields: described(
      "How often each field was present, empty, missing or malformed. A record without an optional field is still complete.",
      z.record(z.string(), countsOf(FIELD_STATUSES).extend({ isOptional: z.boolean() })),
    ),
    held: described("Lanes that the breaker holds for this job.", z.array(heldSchema)),
    ways: described(
      "For scrapers of kind `auto`: how their items are run, and why.",
      z.array(waySchema),
    ).optional(),
    proxies: described(
      "For scrapers that name proxy tiers: which tier their lanes are on, and why.",
      z.array(ladderSchema.extend({ lane: z.string() })),
    ).optional(),
    rejects: described("The first rejected inputs.", z.array(rejectSchema)),
    cost: z.object({ requests: count, bytes: count }),
    costs: described(
      "Use of proxies, by tier; `storage` for the requests of a paid blob store.",
      z.record(z.string(), tierCost),
    ),
    totalCost: described("Sum of all tiers, in the configured currency.", z.number()),
    budgetSpentAt: described(
      "When the budget was spent. Items that had not started by then failed with `budget`.",
      instant,
    ).optional(),
    changes: described(
      "Changes since the client last got these items; only in a job with `freshness`. `gone` means that the site says so; a blocked request never counts as gone.",
      countsOf(CHANGES),
    ).optional(),
    pagesRemoved: described(
      "When its pages and files were removed. The records are kept.",
      z.object({ at: instant, captures: count, bytes: count }),
    ).optional(),
  }),
);
export type Job = Answer<typeof jobSchema>;

export const createdJobSchema = z.object({
  job: jobSchema,
  rejected: described("The inputs that were rejected.", z.array(rejectSchema)),
});
export type CreatedJob = Answer<typeof createdJobSchema>;

export const jobQuery = z.strictObject({
  state: many(z.enum(JOB_STATES)).optional(),
  scraper: z.string().max(64).optional(),
  label: described("`name=value`.", z.string().regex(/^[^=]{1,100}=.{1,100}$/)).optional(),
  client: described("Jobs of another client; for operators.", z.string().max(100)).optional(),
  ...pageQuery(100, 20),
});
export type JobQuery = Filters<typeof jobQuery>;

export const uploadSchema = named(
  "Upload",
  z.object({
    offset: described("Inputs accepted so far: resume an interrupted upload from here.", z.int()),
    accepted: z.int(),
    folded: described("Inputs whose key the job already had.", z.int()),
    rejected: described("Inputs that the scraper does not accept.", z.int()),
    capped: described("Inputs beyond the job's `maxItems`.", z.int()),
  }),
);
export type Upload = Answer<typeof uploadSchema>;

export const inputCheckSchema = named(
  "InputCheck",
  z.object({
    checked: count,
    accepted: count,
    rejected: count,
    folded: described("Accepted inputs with the key of an earlier one.", count),
    isMore: described("There are more inputs, which were not checked.", z.boolean()),
    rejects: described("The first rejected inputs.", z.array(rejectSchema)),
    keys: described("The keys of the first accepted inputs.", z.array(z.string())),
  }),
);
export type InputCheck = Answer<typeof inputCheckSchema>;

const tallySchema = z.object({ count, keys: described("Keys of the first items.", z.array(z.string())) });
const excerptSchema = z.object({ status: z.enum(FIELD_STATUSES), value: z.unknown() }).optional();

export const runDifferenceSchema = named(
  "RunDifference",
  z.object({
    before: described("The job and the set of records.", z.string()),
    after: z.string(),
    items: described("Items of both.", count),
    changedItems: count,
    onlyBefore: tallySchema,
    onlyAfter: tallySchema,
    recordsGained: tallySchema,
    recordsLost: tallySchema,
    states: described("Items with another state, by `before → after`.", z.record(z.string(), tallySchema)),
    fields: z.record(
      z.string(),
      z.object({
        same: count,
        gained: count,
        lost: count,
        changed: count,
        restated: described("Without a value in both sets, but for different reasons.", count),
        examples: z.array(
          z.object({
            key: z.string(),
            change: z.enum(["gained", "lost", "changed", "restated"]),
            before: excerptSchema,
            after: excerptSchema,
          }),
        ),
      }),
    ),
  }),
);
export type RunDifference = Answer<typeof runDifferenceSchema>;

export const diffQuery = z.strictObject({
  before: described("The job to compare with.", z.string().min(1).max(500)),
  examples: described(
    "Examples of each kind of change.",
    z.coerce.number<number | string>().int().min(0).max(100),
  ).default(5),
});

export const stoppedSchema = z.object({
  job: jobSchema,
  isQuiet: described("No further request of the job can start.", z.boolean()),
});
export type Stopped = Answer<typeof stoppedSchema>;

export const stopQuery = z.strictObject({
  waitMs: described(
    "How long to wait until no further request of the job can start.",
    z.coerce.number<number | string>().int().min(0).max(60_000),
  ).default(20_000),
});
export type Stopping = { readonly waitMs?: number };

export const resumeSchema = z.strictObject({
  maxItems: described(
    "Maximum number of items, including those found on pages.",
    numberIn("maxItems"),
  ).optional(),
  maxDepth: described("Maximum steps from one scraper to the next.", numberIn("maxDepth")).optional(),
  maxChain: described(
    "Maximum consecutive pages that a scraper emits to itself.",
    numberIn("maxChain"),
  ).optional(),
  budget: described("Raises the job's budget.", budgetSchema.omit({ onSpent: true })).optional(),
  newVersion: described("Continue with the current version of the scrapers.", z.boolean()).optional(),
});
export type Resume = Request<typeof resumeSchema>;
/** Limits of a job; they can only be raised. */
export type JobCaps = Omit<Resume, "newVersion">;

export const failureTimesSchema = named(
  "FailureTimes",
  z.object({
    widthMs: described("Length of each span.", count),
    data: described(
      "Spans in which something failed, oldest first; at most 96.",
      z.array(
        z.object({
          at: described("Beginning of the span.", instant),
          kinds: z.partialRecord(
            failureKind,
            z.object({
              items: described("Failures that ended an item.", count),
              attempts: described("Failed attempts, including those that were retried.", count),
            }),
          ),
        }),
      ),
    ),
  }),
);
export type FailureTimes = Answer<typeof failureTimesSchema>;

export const retrySchema = z.strictObject({
  kinds: z.array(failureKind).min(1).optional(),
  keys: z.array(z.string().min(1).max(8000)).min(1).max(1000).optional(),
  items: described("Item ids.", z.array(z.string().max(100)).min(1).max(1000)).optional(),
});
export type Retry = Request<typeof retrySchema>;

const EXPORT_FORMATS = ["jsonl", "csv", "parquet"] as const;

export const resultsQuery = z.strictObject({
  format: z.enum(EXPORT_FORMATS).default("jsonl"),
  scraper: described("Only rows of this scraper of the job.", z.string().max(64)).optional(),
  extraction: described(
    "Which record set: `current`, `first` (of the run itself), or an extraction id.",
    z.string().min(1).max(100),
  ).optional(),
  gaps: described(
    "`drop` leaves out items without a record, and records without a value in a required field.",
    z.enum(["keep", "drop"]),
  ).optional(),
  changes: described(
    "Only items with one of these changes since the client last got them; for jobs with `freshness`.",
    many(z.enum(CHANGES)),
  ).optional(),
});
export type ResultsQuery = Request<typeof resultsQuery>;

export const batchSchema = named(
  "Batch",
  jobSchema
    .pick({ id: true, client: true, state: true, createdAt: true, endedAt: true, progress: true })
    .extend({
      accepted: described("URLs to fetch, or to serve from a fresh copy.", z.int()),
      folded: described("Other spellings of a URL in the batch.", z.int()),
      rejected: described("Entries that are not a fetchable URL.", z.int()),
      states: jobSchema.shape.counts.shape.states,
    }),
);
export type Batch = Answer<typeof batchSchema>;

export const createdBatchSchema = z.object({
  batch: batchSchema,
  rejected: z.array(z.object({ index: z.int(), problem: z.string() })),
});
export type CreatedBatch = Answer<typeof createdBatchSchema>;

/** The outcome of one URL of a batch. */
export const batchResultSchema = named(
  "BatchResult",
  itemSchema
    .pick({
      id: true,
      state: true,
      reason: true,
      attempts: true,
      endedAt: true,
      failure: true,
      captures: true,
    })
    .extend({ url: z.string(), key: described("The canonical URL.", z.string()) }),
);
export type BatchResult = Answer<typeof batchResultSchema>;

const id = z.string().min(1).max(500);
export const jobParams = z.object({ job: described("The job's id.", id) });
export const itemParams = jobParams.extend({ item: described("The item's id, as in lists of items.", id) });
export const batchParams = z.object({ batch: described("The batch's id.", id) });
