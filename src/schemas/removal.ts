import { z } from "zod";
import { REMOVAL_SCOPES } from "../domain/removal.ts";
import { type Answer, described, instant, named, type Request } from "./describe.ts";

/** The removal of a job or of its pages; for a removed job, all that is left of it. */
export const removalSchema = named(
  "Removal",
  z.object({
    job: z.string(),
    client: z.string(),
    scraper: z.string(),
    what: described("`pages` keeps records, manifest and counts.", z.enum(REMOVAL_SCOPES)),
    createdAt: described("When the job was created.", instant),
    endedAt: described("When the job ended.", instant),
    removedAt: described("After this time, nothing of it can be read.", instant),
    isComplete: described("False while data is still being deleted.", z.boolean()),
    removed: described(
      "Deleted so far. `bytes` are bytes of the archive.",
      z.object({ items: z.int(), captures: z.int(), bytes: z.int() }),
    ),
    kept: described(
      "Objects that items of other jobs still use. They are deleted with those jobs.",
      z.object({ objects: z.int(), bytes: z.int() }),
    ),
  }),
);
export type Removal = Answer<typeof removalSchema>;

const keep = described("`records` removes only pages and files.", z.literal("records"));

export const removeQuery = z.strictObject({ keep: keep.optional() });

const LONGEST_MS = 100 * 365 * 86_400_000;

export const pruneSchema = z.strictObject({
  olderThanMs: described(
    "Jobs that ended longer ago than this. By default, the `retention` of the scrapers decides.",
    z.int().min(0).max(LONGEST_MS),
  ).optional(),
  keep: keep.optional(),
  scraper: described("Only jobs of this scraper.", z.string().min(1).max(64)).optional(),
  dryRun: described("Report only, without removing anything.", z.boolean()).default(false),
});
export type Prune = Request<typeof pruneSchema>;

const dueSchema = named(
  "DueRemoval",
  z.object({
    job: z.string(),
    scraper: z.string(),
    what: z.enum(REMOVAL_SCOPES),
    endedAt: instant,
    items: z.int(),
    bytes: described("Size in the archive; only in a dry run.", z.int()).optional(),
  }),
);
export type DueRemoval = Answer<typeof dueSchema>;

export const prunedSchema = z.object({
  data: z.array(dueSchema),
  isMore: described("More jobs are due than one request handles.", z.boolean()),
});
export type Pruned = Answer<typeof prunedSchema>;
