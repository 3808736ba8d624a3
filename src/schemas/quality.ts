import { z } from "zod";
import { MEASURES } from "../domain/drift.ts";
import { type Answer, count, described, instant, named, type Request } from "./describe.ts";

const MEASURE_NAMES = Object.keys(MEASURES) as (keyof typeof MEASURES)[];

const fieldQualitySchema = z.object({
  present: count,
  empty: count,
  missing: count,
  malformed: count,
  commonest: described("How often the most common value occurred.", count),
  paired: described("Values for keys that also had a value in the previous run.", count),
  changed: count,
  pairedNumbers: count,
  wild: described("Values at least three times larger or smaller than before.", count),
  banded: described("Numbers that were compared with the range of earlier runs.", count),
  outside: count,
  band: z.object({ low: z.number(), high: z.number(), numbers: count }).optional(),
});

export const qualitySchema = named(
  "RunQuality",
  z.object({
    scraper: z.string(),
    job: z.string(),
    version: z.string(),
    endedAt: instant,
    extraction: described(
      "The extraction that was counted; the run's own records by default.",
      z.string(),
    ).optional(),
    before: described("The job whose values these were compared with.", z.string()).optional(),
    items: z.object({ done: count, absent: count, failed: count, skipped: count }),
    records: count,
    requests: count,
    bytes: count,
    fields: z.record(z.string(), fieldQualitySchema),
    drift: z
      .object({
        tests: count,
        unjudged: described("Shares that were not tested: too few items, or no earlier runs.", count),
        history: described("Earlier runs that count.", count),
        canBlock: described(
          "Whether the history is long enough for findings to hold a release.",
          z.boolean(),
        ),
        shifts: described(
          "Changes that most fields have in common, within the limits of a season.",
          z.array(
            z.object({
              measure: z.enum(MEASURE_NAMES),
              logOdds: z.number(),
              points: z.number(),
              fields: count,
            }),
          ),
        ),
      })
      .optional(),
  }),
);
export type QualityView = Answer<typeof qualitySchema>;

export const findingSchema = named(
  "DriftFinding",
  z.object({
    id: z.string(),
    scraper: z.string(),
    job: z.string(),
    at: described("When the run ended.", instant),
    measure: z.enum(MEASURE_NAMES),
    field: z.string().optional(),
    fields: described("Fields that have changed together.", z.array(z.string())).optional(),
    share: z.object({ hits: count, of: count }),
    expected: z.number(),
    runs: described("Number of earlier runs behind the expected share.", count),
    probability: z.number(),
    points: z.number(),
    level: z.enum(["warn", "block"]),
    text: described("The finding in one sentence.", z.string()),
    examples: described("Keys of items to look at.", z.array(z.string())),
    accepted: z.object({ at: instant, by: z.string(), reason: z.string() }).optional(),
  }),
);
export type FindingView = Answer<typeof findingSchema>;

export const acceptSchema = z.strictObject({ reason: z.string().min(1).max(2000) });
export type AcceptRequest = Request<typeof acceptSchema>;

export const driftQuery = z.strictObject({
  open: described("Only findings that have not been accepted.", z.enum(["true", "false"])).optional(),
  limit: z.coerce.number().int().min(1).max(110).default(20),
});
