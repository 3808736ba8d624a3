import { z } from "zod";
import { CHANGES } from "../../domain/freshness.ts";
import { ITEM_STATES } from "../../domain/item.ts";
import { named, says } from "../api-registry.ts";
import { captureSchema } from "./capture.ts";
import { failureSchema } from "./failure.ts";
import { instant } from "./instant.ts";

export const itemSchema = named(
  "Item",
  z.object({
    id: z.string(),
    key: z.string(),
    scraper: z.string(),
    lane: z.string(),
    state: z.enum(ITEM_STATES),
    reason: says("Why it was skipped.", z.enum(["fresh", "unchanged"])).optional(),
    quality: z.enum(["complete", "partial"]).optional(),
    version: says("Of the scraper that made its result.", z.string()).optional(),
    change: says(
      "Since the client last had it, in a job with `freshness`. Left out where nothing can be said: it failed, or is absent as it was.",
      z.enum(CHANGES),
    ).optional(),
    input: z.unknown(),
    parent: says("Key of the item on whose pages it was found.", z.string()).optional(),
    depth: z.int(),
    attempts: z.int(),
    dueAt: says("When it is tried again.", instant).optional(),
    endedAt: instant.optional(),
    failure: failureSchema.optional(),
    history: says(
      "Its failed attempts.",
      z.array(
        z.object({
          at: instant,
          ms: z.number(),
          version: says("Of the scraper that ran it.", z.string()).optional(),
          failure: failureSchema,
          requests: z.int().optional(),
          bytes: z.int().optional(),
        }),
      ),
    ),
    lastAttempt: says(
      "The attempt that was settled last, however it ended. `detail`: by what the site says that it is absent.",
      z.object({
        at: instant,
        ms: z.number(),
        requests: z.int(),
        bytes: z.int(),
        detail: z.string().optional(),
      }),
    ).optional(),
    captures: z.array(captureSchema),
  }),
);

export type ApiItem = z.infer<typeof itemSchema>;

/** What came of one URL of a batch. */
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
    .extend({ url: z.string(), key: says("The URL's canonical spelling.", z.string()) }),
);
