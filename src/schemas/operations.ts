/** What operators see: scrapers, lanes, workers and the audit log. */
import { z } from "zod";
import { COLLECTOR_KINDS } from "../domain/job-version.ts";
import {
  type Answer,
  described,
  type Filters,
  instant,
  named,
  numberIn,
  pageQuery,
  perSecond,
  type Request,
} from "./describe.ts";
import { tierCost } from "./item.ts";
import { jobSchema, ladderSchema, paceSchema } from "./job.ts";

const runSchema = named(
  "Run",
  jobSchema
    .pick({ id: true, state: true, createdAt: true, endedAt: true })
    .extend({ states: jobSchema.shape.counts.shape.states }),
);

export const scraperQuery = z.strictObject({
  runs: described("With the newest jobs of each.", z.enum(["true", "false"])).optional(),
  ...pageQuery(500, 100),
});
export type ScraperQuery = Filters<typeof scraperQuery>;

export const scraperEntrySchema = named(
  "ScraperEntry",
  z.object({
    name: z.string(),
    kind: described("How its items are run.", z.enum(COLLECTOR_KINDS)).optional(),
    site: z.string().optional(),
    version: z.string().optional(),
    problem: described("Why it cannot be loaded.", z.string()).optional(),
    lastRun: described("Its newest job; only if asked for.", runSchema).optional(),
    lastSuccess: described("Its newest job that has ended; only if asked for.", runSchema).optional(),
  }),
);
export type ScraperEntry = Answer<typeof scraperEntrySchema>;

export const deploymentSchema = named(
  "Deployment",
  z.object({
    name: z.string(),
    version: described("The version that jobs are pinned to.", z.string()),
    bundle: described("SHA-256 of the stored bundle.", z.string()),
    bytes: described("Size of the bundle.", z.int()),
    isNew: described("False if it was deployed already.", z.boolean()),
    by: described("Who deployed it, as in the audit log.", z.string()),
    at: instant,
    commit: z.string().optional(),
  }),
);
export type Deployment = Answer<typeof deploymentSchema>;

export const scraperSchema = named(
  "Scraper",
  z.object({
    name: z.string(),
    kind: described("How its items are run.", z.enum(COLLECTOR_KINDS)),
    owner: described("The client that registered it.", z.string()).optional(),
    site: z.string().optional(),
    lane: z.string().optional(),
    version: z.string(),
    pace: paceSchema,
    input: described("The schema of an input, as JSON Schema.", z.record(z.string(), z.unknown())).optional(),
    fields: z.array(z.object({ name: z.string(), isRequired: z.boolean() })),
    emitsTo: described("Scrapers whose inputs are found on its pages.", z.array(z.string())),
    fixtures: described(
      "Result of its fixture tests, at most a minute old.",
      z.object({
        cases: z.int(),
        passed: z.int(),
        failed: described("Names of failed cases.", z.array(z.string())),
        problem: described("Why the tests could not run.", z.string()).optional(),
      }),
    ).optional(),
  }),
);
export type Scraper = Answer<typeof scraperSchema>;

export const laneSchema = named(
  "Lane",
  z.object({
    lane: z.string(),
    perSecond: described("Current requests per second; null for no limit.", perSecond),
    usedPerSecond: described(
      "Requests per second that were sent lately, over about ten seconds.",
      z.number(),
    ),
    factor: described("1 at full pace; lower while the lane is slowed down.", z.number()),
    operatorPerSecond: described("The operator's limit; null if none is set.", z.number().nullable()),
    isHeld: described("An operator has stopped the lane.", z.boolean()),
    heldUntil: described("No requests until then.", instant).optional(),
    holdReason: z.string().optional(),
    backlog: described("Items of all jobs that have not ended.", z.int()),
    heldJobs: described("Jobs for which the breaker holds the lane.", z.int()),
    inFlight: z.int(),
    proxies: described(
      "The current proxy tier of each ladder that scrapers use; absent if none has changed.",
      z.array(ladderSchema),
    ).optional(),
    spent: described(
      "Total cost of its items, by proxy tier; absent if none was used.",
      z.record(z.string(), tierCost),
    ).optional(),
  }),
);
export type Lane = Answer<typeof laneSchema>;

export const laneQuery = z.strictObject({
  prefix: described("Only lanes whose name begins with this.", z.string().min(1).max(500)).optional(),
  held: described(
    "Only lanes that are held now: by an operator, by the site, or by the breaker for some job.",
    z.enum(["true", "false"]),
  ).optional(),
  ...pageQuery(500, 100),
});
export type LaneQuery = Filters<typeof laneQuery>;

export const jobLaneSchema = named(
  "JobLane",
  laneSchema.pick({ lane: true, isHeld: true, heldUntil: true, holdReason: true }).extend({
    backlog: described("Items of the job that have not ended.", z.int()),
    inFlight: described("Of these, items that a worker has.", z.int()),
    waiting: described("Of these, items that wait for a retry.", z.int()),
    breaker: described(
      "The breaker holds the lane for this job. Without `probeAt`, a person must decide.",
      z.object({ reason: z.string(), heldAt: instant, probeAt: instant.optional() }),
    ).optional(),
  }),
);
export type JobLane = Answer<typeof jobLaneSchema>;

export const jobLaneQuery = z.strictObject({
  backlog: described("Only lanes in which the job has items left.", z.enum(["true", "false"])).optional(),
  ...pageQuery(500, 100),
});
export type JobLaneQuery = Filters<typeof jobLaneQuery>;

export const laneControlSchema = z.strictObject({
  perSecond: described(
    "Maximum requests per second; null removes the limit.",
    numberIn("perSecond").nullable(),
  ).optional(),
  isHeld: described(
    "A held lane starts no requests. False also ends a hold set by a site's `Retry-After`.",
    z.boolean(),
  ).optional(),
  reset: described(
    "Forgets the lane's learned speed, `Crawl-delay`, holds and bookings. The operator's limit stays.",
    z.literal(true),
  ).optional(),
});
export type LaneControl = Request<typeof laneControlSchema>;

export const workerSchema = named(
  "Worker",
  z.object({
    name: z.string(),
    host: z.string().optional(),
    pid: z.int().optional(),
    version: z.string().optional(),
    concurrency: z.int().optional(),
    browserConcurrency: described(
      "Items with a browser that it can run at the same time.",
      z.int(),
    ).optional(),
    cores: described("Its share of the machine's cores.", z.number()).optional(),
    memoryMb: described("Its share of the machine's memory.", z.number()).optional(),
    lanes: described("The only lanes it takes items from.", z.array(z.string())).optional(),
    kinds: described(
      "It takes only jobs whose scrapers are all of these kinds.",
      z.array(z.enum(COLLECTOR_KINDS)),
    ).optional(),
    isDraining: described("It finishes its current items and takes no more.", z.boolean()).optional(),
    isAlone: described("It runs one suspect item at a time.", z.boolean()),
    items: described("Items it is running.", z.int()),
    holds: z.array(z.object({ job: z.string(), lane: z.string(), items: z.int() })),
    leaseMs: described("Time until its leases end if it sends no more pulses.", z.number()),
  }),
);
export type Worker = Answer<typeof workerSchema>;

const kindScaleSchema = named(
  "KindScale",
  z.object({
    workers: described("Useful workers if each takes only jobs of this kind.", z.int()),
    lanes: described("Lanes with items that can run now.", z.int()),
    busy: described("Items that would run at the same time with enough workers.", z.int()),
    items: described("Items that are running or can run now.", z.int()),
  }),
);

export const scaleSchema = named(
  "Scale",
  z.object({
    workers: described("Useful workers if each takes every kind; 0 if nothing can run.", z.int()),
    kinds: described(
      "By the needs of the jobs: `http` for those without a browser, `browser` for all others.",
      z.object({ http: kindScaleSchema, browser: kindScaleSchema }),
    ),
    againInMs: described("The number may change after this time.", z.int()),
  }),
);
export type Scale = Answer<typeof scaleSchema>;

export const auditEntrySchema = named(
  "AuditEntry",
  z.object({
    id: z.int(),
    at: instant,
    actor: described("`key:ID`, `user:NAME` of the machine, or `local` if no key is needed.", z.string()),
    client: described("Owner of the key.", z.string()).optional(),
    via: described("`cli` is a command on the data folder.", z.enum(["api", "cli"])),
    action: described("The operation, by its `operationId`.", z.string()),
    target: described("What was changed.", z.string()).optional(),
    detail: described("The request, without secrets.", z.unknown()).optional(),
    from: described("Address of the caller.", z.string()).optional(),
    outcome: described("`ok`, or an error code.", z.string()),
  }),
);
export type AuditEntry = Answer<typeof auditEntrySchema>;

export const auditQuery = z.strictObject({
  actor: described("Only entries of this actor.", z.string().min(1).max(200)).optional(),
  action: described("Only this operation.", z.string().min(1).max(100)).optional(),
  since: described("Only entries since this time.", instant).optional(),
  ...pageQuery(500, 100),
});
export type AuditQuery = Filters<typeof auditQuery>;
