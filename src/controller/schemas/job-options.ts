import { z } from "zod";
import { named, says } from "../api-registry.ts";

export const budgetSchema = z.strictObject({
  requests: z.int().min(1).optional(),
  bytes: z.int().min(1).optional(),
});

export const freshnessSchema = z.strictObject({
  maxAgeMs: says(
    "A page fetched so recently is good enough. By the response's caching headers, else an hour, when left out; 0: always fetch.",
    z.int().min(0),
  ).optional(),
  onlyChanged: says("Items that are as they were the last time are skipped.", z.boolean()).optional(),
});

const labelText = z.string().min(1).max(100);
const MOST_LABELS = 20;

/** What jobs and batches have in common. */
export const jobOptions = {
  priority: says(
    "Among the client's jobs in a lane, higher comes first.",
    z.int().min(-100).max(100),
  ).optional(),
  pace: says(
    "It can only lower the scraper's own.",
    z.strictObject({
      perSecond: z.number().positive().max(10_000).optional(),
      concurrency: z.int().min(1).max(1000).optional(),
    }),
  ).optional(),
  maxAttempts: says("No item is tried more often.", z.int().min(1).max(100)).optional(),
  freshness: freshnessSchema.optional(),
  deadlineAt: says("What has not ended then is cancelled.", z.iso.datetime({ offset: true })).optional(),
  budget: says("What comes after it is spent fails with `budget`.", budgetSchema).optional(),
  webhook: says(
    "Told of this job's events, beside the client's own endpoints.",
    z.url({ protocol: /^https?$/ }).max(2000),
  ).optional(),
  progressMs: says(
    "The webhooks hear `job.progress` so often; never when left out.",
    z.int().min(1000).max(86_400_000),
  ).optional(),
  labels: says(
    "The client's own names, to find it by.",
    z.record(labelText, labelText).refine((labels) => Object.keys(labels).length <= MOST_LABELS, {
      message: `at most ${MOST_LABELS} labels`,
    }),
  ).optional(),
};

export const MOST_INLINE = 5000;
export const MOST_URLS = 10_000;

export const newJobSchema = named(
  "NewJob",
  z.strictObject({
    scraper: says("Name of a scraper of this installation.", z.string().min(1).max(64)),
    inputs: says(
      "Up to 5,000 inputs; more are sent to the job's `inputs`.",
      z.array(z.record(z.string(), z.unknown())).max(MOST_INLINE),
    ).optional(),
    seal: says(
      "No more inputs will come: true where `inputs` are given, unless told.",
      z.boolean(),
    ).optional(),
    extracts: says(
      "False: pages are collected and kept, and no records are made of them.",
      z.boolean(),
    ).optional(),
    maxItems: says("Items in all, found ones included.", z.int().min(1)).optional(),
    ...jobOptions,
  }),
);

export const newBatchSchema = named(
  "NewBatch",
  z.strictObject({
    urls: says(
      "Up to 10,000. Spellings of one URL are one item.",
      z.array(z.string().min(1).max(8000)).min(1).max(MOST_URLS),
    ),
    ...jobOptions,
  }),
);

export type AskedOptions = Pick<z.infer<typeof newJobSchema>, keyof typeof jobOptions>;
