import { z } from "zod";
import { isWithin, RANGES } from "../domain/number-range.ts";
import { described, named, numberIn, type Request } from "./describe.ts";
import { inputsFromSchema } from "./inputs.ts";

export const budgetSchema = z.strictObject({
  requests: numberIn("requests").optional(),
  bytes: numberIn("bytes").optional(),
  cost: described("For proxies, in the configured currency.", numberIn("cost")).optional(),
  onSpent: described(
    "What happens when it is used up: the remaining items fail (default), or the job is paused until it is resumed with a higher budget.",
    z.enum(["fail", "pause"]),
  ).optional(),
});
export type Budget = Request<typeof budgetSchema>;

export const freshnessSchema = z.strictObject({
  maxAgeMs: described(
    "Reuse pages fetched within this time. By default, the response's caching headers decide, or one hour without them; 0 always fetches.",
    numberIn("maxAgeMs"),
  ).optional(),
  onlyChanged: described("Skip items that have not changed since the last time.", z.boolean()).optional(),
});
export type Freshness = Request<typeof freshnessSchema>;

/** A deadline in the past cancels the job immediately. It is not an error, because a request may be repeated late. */
const isTooFar = (at: string): boolean =>
  !isWithin(RANGES.deadlineMs, Math.max(0, Math.round(Date.parse(at) - Date.now())));

const labelText = z.string().min(1).max(100);
const MOST_LABELS = 20;

/** The options that jobs and batches share. */
const jobOptions = {
  priority: described(
    "Order among the client's jobs in a lane; higher runs first.",
    numberIn("priority"),
  ).optional(),
  pace: described(
    "Lowers the scraper's pace for this job; a higher value has no effect. A scraper that declares no pace runs at 2 requests per second.",
    z.strictObject({
      perSecond: numberIn("perSecond").optional(),
      concurrency: numberIn("concurrency").optional(),
    }),
  ).optional(),
  maxAttempts: described("Maximum attempts per item.", numberIn("maxAttempts")).optional(),
  freshness: freshnessSchema.optional(),
  deadlineAt: described(
    "Items that have not ended by then are cancelled. At most 100 years from now.",
    z.iso.datetime({ offset: true }).refine((at) => !isTooFar(at), {
      error: "expected a time at most a hundred years from now",
    }),
  ).optional(),
  budget: described(
    "Items that start after the budget is spent fail with `budget`, or the job is paused.",
    budgetSchema,
  ).optional(),
  proxies: described(
    "The only proxy tiers that the job may use: some of those that its scraper lists, in the scraper's order.",
    z.array(z.string().min(1).max(200)).min(1).max(10),
  ).optional(),
  webhook: described(
    "Receives this job's events, in addition to the client's own webhooks.",
    z.url({ protocol: /^https?$/ }).max(2000),
  ).optional(),
  progressMs: described(
    "Interval of `job.progress` events to webhooks; none by default.",
    numberIn("progressMs"),
  ).optional(),
  labels: described(
    "The client's own labels, to find the job by.",
    z.record(labelText, labelText).refine((labels) => Object.keys(labels).length <= MOST_LABELS, {
      message: `at most ${MOST_LABELS} labels`,
    }),
  ).optional(),
};

const { deadlineAt: _, ...lastingOptions } = jobOptions;

/** The options of every job of a schedule. */
export const scheduledOptions = {
  ...lastingOptions,
  deadlineMs: described(
    "Items that have not ended this long after the firing are cancelled.",
    numberIn("deadlineMs"),
  ).optional(),
  extracts: described("False only collects and stores pages.", z.boolean()).optional(),
  maxItems: described(
    "Maximum number of items of a job, including those found on pages.",
    numberIn("maxItems"),
  ).optional(),
};

const MOST_INLINE = 5000;
const MOST_URLS = 10_000;

export const newJobSchema = named(
  "NewJob",
  z.strictObject({
    scraper: described("Name of a scraper of this installation.", z.string().min(1).max(64)),
    inputs: described(
      "Up to 5,000 inputs. Stream larger sets to the job's `inputs`.",
      z.array(z.record(z.string(), z.unknown())).max(MOST_INLINE),
    ).optional(),
    inputsFrom: described(
      "Where the job takes its inputs from, instead of `inputs`.",
      inputsFromSchema,
    ).optional(),
    seal: described(
      "No more inputs will be sent. Defaults to true if `inputs` has any.",
      z.boolean(),
    ).optional(),
    extracts: described(
      "False only collects and stores pages, without making records.",
      z.boolean(),
    ).optional(),
    maxItems: described(
      "Maximum number of items, including those found on pages.",
      numberIn("maxItems"),
    ).optional(),
    ...jobOptions,
  }),
);
export type NewJob = Request<typeof newJobSchema>;
export type JobOptions = Pick<NewJob, keyof typeof jobOptions>;

export const newBatchSchema = named(
  "NewBatch",
  z.strictObject({
    urls: described(
      "Up to 10,000. Different spellings of one URL become one item.",
      z.array(z.string().min(1).max(8000)).min(1).max(MOST_URLS),
    ),
    ...jobOptions,
  }),
);
export type NewBatch = Request<typeof newBatchSchema>;
