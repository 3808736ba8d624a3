import { z } from "zod";
import { isWithin, RANGES } from "../../domain/number-range.ts";
import { named, says } from "../api-registry.ts";
import { numberIn } from "./number-in.ts";

export const budgetSchema = z.strictObject({
  requests: numberIn("requests").optional(),
  bytes: numberIn("bytes").optional(),
});

export const freshnessSchema = z.strictObject({
  maxAgeMs: says(
    "A page fetched so recently is good enough. By the response's caching headers, else an hour, when left out; 0: always fetch.",
    numberIn("maxAgeMs"),
  ).optional(),
  onlyChanged: says("Items that are as they were the last time are skipped.", z.boolean()).optional(),
});

/** One that is over cancels at once, which is no error: a request may be repeated late. */
const isTooFar = (at: string): boolean =>
  !isWithin(RANGES.deadlineMs, Math.max(0, Math.round(Date.parse(at) - Date.now())));

const labelText = z.string().min(1).max(100);
const MOST_LABELS = 20;

/** What jobs and batches have in common. */
const jobOptions = {
  priority: says("Among the client's jobs in a lane, higher comes first.", numberIn("priority")).optional(),
  pace: says(
    "It can only lower the scraper's own, for the items of this job.",
    z.strictObject({
      perSecond: numberIn("perSecond").optional(),
      concurrency: numberIn("concurrency").optional(),
    }),
  ).optional(),
  maxAttempts: says("No item is tried more often.", numberIn("maxAttempts")).optional(),
  freshness: freshnessSchema.optional(),
  deadlineAt: says(
    "What has not ended then is cancelled. At most a hundred years from now.",
    z.iso.datetime({ offset: true }).refine((at) => !isTooFar(at), {
      error: "expected a time at most a hundred years from now",
    }),
  ).optional(),
  budget: says("What comes after it is spent fails with `budget`.", budgetSchema).optional(),
  webhook: says(
    "Told of this job's events, beside the client's own endpoints.",
    z.url({ protocol: /^https?$/ }).max(2000),
  ).optional(),
  progressMs: says(
    "The webhooks hear `job.progress` so often; never when left out.",
    numberIn("progressMs"),
  ).optional(),
  labels: says(
    "The client's own names, to find it by.",
    z.record(labelText, labelText).refine((labels) => Object.keys(labels).length <= MOST_LABELS, {
      message: `at most ${MOST_LABELS} labels`,
    }),
  ).optional(),
};

const MOST_INLINE = 5000;
const MOST_URLS = 10_000;

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
    maxItems: says("Items in all, found ones included.", numberIn("maxItems")).optional(),
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
