import { z } from "zod";
import { ITEM_STATES } from "../../model/item.ts";
import { named, says } from "../api-registry.ts";
import { failureKind, instant } from "./job.ts";

const failureSchema = named(
  "Failure",
  z.object({
    kind: failureKind,
    detail: z.string(),
    url: z.string().optional(),
    status: says("The HTTP status.", z.int()).optional(),
    retryAfterMs: z.number().optional(),
  }),
);

export const captureSchema = named(
  "Capture",
  z.object({
    number: says("Its place among the item's captures, from 0.", z.int()),
    name: z.string(),
    url: z.string(),
    mediaType: z.string(),
    digest: says("`sha256:` and hex, of the body as it came over the wire.", z.string()),
    storedBytes: says("What it takes up in the archive, compressed.", z.int()),
    link: says(
      "Where the body can be fetched without the API: for whole objects in a store that has such links.",
      z.string(),
    ).optional(),
  }),
);

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
    input: z.unknown(),
    parent: says("Key of the item on whose pages it was found.", z.string()).optional(),
    depth: z.int(),
    attempts: z.int(),
    dueAt: says("When it is tried again.", instant).optional(),
    endedAt: instant.optional(),
    failure: failureSchema.optional(),
    history: says(
      "Its failed attempts.",
      z.array(z.object({ at: instant, ms: z.number(), worker: z.string(), failure: failureSchema })),
    ),
    captures: z.array(captureSchema),
  }),
);

export type ApiItem = z.infer<typeof itemSchema>;
