import { z } from "zod";
import { FAILURE_KINDS } from "../domain/failure.ts";
import { CHANGES } from "../domain/freshness.ts";
import { ITEM_STATES } from "../domain/item.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import { type Answer, count, described, type Filters, instant, many, named, pageQuery } from "./describe.ts";

export const failureKind = z.enum(FAILURE_KINDS);

const failureSchema = named(
  "Failure",
  z.object({
    kind: failureKind,
    detail: z.string(),
    url: z.string().optional(),
    status: described("The HTTP status.", z.int()).optional(),
    retryAfterMs: z.number().optional(),
  }),
);
export type Failure = Answer<typeof failureSchema>;

export const captureSchema = named(
  "Capture",
  z.object({
    number: described("Index of the capture within the item, from 0.", z.int()),
    name: z.string(),
    url: z.string(),
    mediaType: z.string(),
    digest: described("`sha256:` and hex digits, of the body as received.", z.string()),
    storedBytes: described("Compressed size in the archive.", z.int()),
    isFile: described("Stored as a separate object (`keep.file`), not packed with other pages.", z.boolean()),
    link: described(
      "URL of the body in the object store, without going through the API. Only for whole objects of this job, and only if the store supports such links.",
      z.string(),
    ).optional(),
  }),
);
export type Capture = Answer<typeof captureSchema>;

export const captureHeadSchema = z.object({
  url: z.string(),
  status: z.int(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type CaptureHead = Answer<typeof captureHeadSchema>;

/** What went through a proxy tier. */
export const tierCost = z.object({
  requests: count,
  bytes: described("Bytes on the connection to the proxy, in both directions.", count),
  cost: described("In the configured currency.", z.number()),
});

const attempt = {
  at: instant,
  ms: z.number(),
  proxied: described(
    "Use of proxies; absent if none was used.",
    z.array(tierCost.extend({ tier: z.string() })),
  ).optional(),
};

export const itemSchema = named(
  "Item",
  z.object({
    id: z.string(),
    key: z.string(),
    scraper: z.string(),
    lane: z.string(),
    state: z.enum(ITEM_STATES),
    reason: described("Why the item was skipped.", z.enum(["fresh", "unchanged"])).optional(),
    quality: z.enum(["complete", "partial"]).optional(),
    version: described("Version of the scraper that produced the result.", z.string()).optional(),
    change: described(
      "Change since the client last got this item, in a job with `freshness`. Absent if unknown: the item failed, or is still absent.",
      z.enum(CHANGES),
    ).optional(),
    input: z.unknown(),
    parent: described("Key of the item on whose pages this one was found.", z.string()).optional(),
    depth: z.int(),
    attempts: z.int(),
    dueAt: described("Time of the next attempt.", instant).optional(),
    endedAt: instant.optional(),
    failure: failureSchema.optional(),
    history: described(
      "Failed attempts.",
      z.array(
        z.object({
          ...attempt,
          version: described("Version of the scraper that ran.", z.string()).optional(),
          failure: failureSchema,
          requests: z.int().optional(),
          bytes: z.int().optional(),
        }),
      ),
    ),
    lastAttempt: described(
      "The most recently settled attempt, whatever its outcome. `detail` says how the site reported the item as absent.",
      z.object({ ...attempt, requests: z.int(), bytes: z.int(), detail: z.string().optional() }),
    ).optional(),
    captures: z.array(captureSchema),
  }),
);
export type Item = Answer<typeof itemSchema>;
export type ItemState = Item["state"];
export type Change = NonNullable<Item["change"]>;

export const itemQuery = z.strictObject({
  state: many(z.enum(ITEM_STATES)).optional(),
  kind: described("Failure kind.", many(failureKind)).optional(),
  key: many(z.string().min(1).max(8000)).optional(),
  quality: described(
    "`partial`: a required field of the record is missing or malformed.",
    z.enum(["complete", "partial"]),
  ).optional(),
  change: many(z.enum(CHANGES)).optional(),
  field: described(
    "Only items with a record in which this field has one of the statuses in `status`, as the run itself judged it.",
    z.string().min(1).max(200),
  ).optional(),
  status: described("Only with `field`; `missing` by default.", many(z.enum(FIELD_STATUSES))).optional(),
  scraper: z.string().max(64).optional(),
  ...pageQuery(1000, 100),
});
export type ItemQuery = Filters<typeof itemQuery>;

const recordSchema = named(
  "ItemRecord",
  z.object({
    from: described("Name of the page it was read from.", z.string()).optional(),
    quality: z.enum(["complete", "partial"]),
    fields: z.record(
      z.string(),
      z.object({
        status: z.enum(FIELD_STATUSES),
        value: z.unknown(),
        raw: described("The text on the page, up to 500 characters.", z.string()).optional(),
        by: described("The place that matched, as written in the scraper.", z.string()).optional(),
        at: described("Offset of the match in the page's text, in characters.", z.int()).optional(),
        why: described("Why the field is malformed or empty.", z.string()).optional(),
      }),
    ),
  }),
);

/** An item's records in the job's current set. */
export const itemRecordsSchema = z.object({
  extraction: described("`first` for the records of the run itself.", z.string()),
  data: z.array(recordSchema),
});
export type ItemRecords = Answer<typeof itemRecordsSchema>;

/** Why the breaker holds a lane. */
export const evidenceSchema = named(
  "Evidence",
  z.object({
    chart: described("The signal that tripped: `failures`, `absent`, or `missing:` and a field.", z.string()),
    reason: z.string(),
    counts: described(
      "The last 50 outcomes at most: `done`, `absent` and failure kinds.",
      z.record(z.string(), count),
    ),
    since: described("When the problem began.", instant).optional(),
    heals: described("Problems of this kind usually end without intervention.", z.boolean()),
    recent: described(
      "The score of the breaker after each of the latest outcomes, oldest first. It grows with bad outcomes; at `limit` the lane is held. Absent for missing fields.",
      z.array(z.object({ result: z.string(), score: z.number() })),
    ).optional(),
    limit: z.number().optional(),
    examples: described(
      "Up to three affected items.",
      z.array(
        z.object({
          item: described("The item's id.", z.string()),
          key: z.string(),
          kind: failureKind.optional(),
          detail: z.string().optional(),
          captures: z.array(captureSchema),
        }),
      ),
    ),
  }),
);
export type Evidence = Answer<typeof evidenceSchema>;
