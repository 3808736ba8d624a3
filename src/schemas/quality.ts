import { z } from "zod";
import { MEASURES } from "../domain/drift.ts";
import { type Answer, count, described, instant, named, type Request } from "./describe.ts";

const MEASURE_NAMES = Object.keys(MEASURES) as (keyof typeof MEASURES)[];

const fieldQualitySchema = z.object({
  present: count,
  empty: count,
  missing: count,
  malformed: count,
  commonest: described("How often the commonest value occurred.", count),
  paired: described("Values that the run before had for the same key too.", count),
  changed: count,
  pairedNumbers: count,
  wild: described("Three times as large as before, or a third.", count),
  banded: described("Numbers that were compared with the band of earlier runs.", count),
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
        unjudged: described("Shares with too few items, or no earlier runs.", count),
        history: described("Earlier runs that count.", count),
        canBlock: described(
          "Whether the history is long enough for findings to hold a release.",
          z.boolean(),
        ),
        shifts: described(
          "What most fields do together, within what a season does.",
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
    fields: described("Fields that have shifted together.", z.array(z.string())).optional(),
    share: z.object({ hits: count, of: count }),
    expected: z.number(),
    runs: described("Earlier runs behind what was expected.", count),
    probability: z.number(),
    points: z.number(),
    level: z.enum(["warn", "block"]),
    text: described("One sentence for people.", z.string()),
    examples: described("Keys of items to look at.", z.array(z.string())),
    accepted: z.object({ at: instant, by: z.string(), reason: z.string() }).optional(),
  }),
);
export type FindingView = Answer<typeof findingSchema>;

export const acceptSchema = z.strictObject({ reason: z.string().min(1).max(2000) });
export type AcceptRequest = Request<typeof acceptSchema>;

export const driftQuery = z.strictObject({
  open: described("Only findings that nobody has accepted.", z.enum(["true", "false"])).optional(),
  limit: z.coerce.number().int().min(1).max(110).default(20),
});
