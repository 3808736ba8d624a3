import { z } from "zod";
import { CELL_STATUSES, GAP_POLICIES, JOINS, RELEASE_FORMATS, RELEASE_STATES } from "../domain/release.ts";
import { type Answer, count, described, instant, named, type Request } from "./describe.ts";

const text = z.string().min(1).max(200);
/** Of a dataset. */
export const datasetName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    "expected up to 64 of a-z 0-9 . _ -, beginning with a letter or digit",
  );

const gapPolicy = z.enum(GAP_POLICIES);
const gapRulesSchema = z.strictObject({
  empty: gapPolicy.optional(),
  missing: gapPolicy.optional(),
  malformed: gapPolicy.optional(),
  default: described("The value of the policy `default`.", z.unknown()).optional(),
});

const share = z.number().min(0).max(1);

const auditRulesSchema = z.strictObject({
  minRows: described("Minimum number of rows; 1 by default.", count).optional(),
  completeness: described(
    "Minimum share of rows with their own value, by field.",
    z.record(text, share),
  ).optional(),
  drift: described(
    "Whether open findings about the sources hold a release; `block` by default.",
    z.enum(["block", "warn", "ignore"]),
  ).optional(),
  unique: described(
    "Fields whose combined values must be unique.",
    z.array(z.array(text).min(1).max(10)).max(10),
  ).optional(),
  ranges: z
    .record(
      text,
      z.strictObject({ min: z.number().optional(), max: z.number().optional(), share: share.optional() }),
    )
    .optional(),
  references: described(
    "Every value of the field is a key of the other dataset's current release.",
    z.array(z.strictObject({ field: text, dataset: datasetName })).max(10),
  ).optional(),
  maxGone: described("Maximum share of the current release's keys that may be gone.", share).optional(),
});

const sourceSchema = z.strictObject({
  scraper: described("The scraper whose jobs are the source.", text),
  job: described("The job to read; by default the newest that is done.", text).optional(),
  as: described("The source's name in this dataset; by default the scraper's name.", text).optional(),
  key: described("The field by which records are joined; the item's key by default.", text).optional(),
  records: described("Only records of this one of the job's scrapers.", text).optional(),
});

const SPEC = {
  sources: z.array(sourceSchema).min(1).max(20),
  join: described(
    "Which keys become rows: those of the first source (default), those of any source, or only those that all sources have.",
    z.enum(JOINS),
  ).optional(),
  fields: z
    .array(
      z.strictObject({
        name: text,
        source: text.optional(),
        from: text.optional(),
        gaps: gapRulesSchema.optional(),
      }),
    )
    .min(1)
    .max(500)
    .optional(),
  gaps: described("For fields without their own setting.", gapRulesSchema).optional(),
  rules: auditRulesSchema.optional(),
  formats: described(
    "Formats in addition to JSON lines; all by default.",
    z.array(z.enum(RELEASE_FORMATS)),
  ).optional(),
  keep: described(
    "How many published releases are kept; all by default.",
    z.int().min(1).max(10_000),
  ).optional(),
  lateAfterMs: described(
    "A release is late when the last one is older than this.",
    z
      .int()
      .min(60_000)
      .max(400 * 86_400_000),
  ).optional(),
  hasAudit: described("The configuration also has an audit function.", z.boolean()).optional(),
};

export const datasetSpecSchema = named("DatasetSpec", z.strictObject(SPEC));
export type DatasetRequest = Request<typeof datasetSpecSchema>;

const fileSchema = z.object({
  name: z.string(),
  bytes: count,
  digest: z.string(),
  mediaType: z.string(),
  link: described(
    "A temporary link that needs no key; only if the store supports such links.",
    z.string(),
  ).optional(),
});

const checkSchema = z.object({
  check: z.string(),
  verdict: z.enum(["pass", "warn", "fail"]),
  detail: z.string(),
});

const cellCounts = z.record(z.enum(CELL_STATUSES), count);

export const releaseSchema = named(
  "Release",
  z.object({
    dataset: z.string(),
    number: z.int(),
    state: z.enum(RELEASE_STATES),
    isCurrent: z.boolean(),
    writtenAt: instant,
    writtenBy: z.string(),
    rows: count,
    dropped: described("Rows that a gap rule left out, by field.", z.record(z.string(), count)),
    filled: described(
      "Values that the gap rules filled in, by field and mark.",
      z.record(z.string(), z.record(z.string(), count)),
    ),
    columns: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        source: z.string().optional(),
        gaps: gapRulesSchema.optional(),
      }),
    ),
    sources: z.array(
      z.object({
        scraper: z.string(),
        as: z.string(),
        job: z.string(),
        set: z.string(),
        version: z.string(),
        endedAt: instant.nullable(),
        items: z.object({ done: count, absent: count, failed: count, skipped: count }),
        records: count,
        fields: z.record(z.string(), cellCounts),
      }),
    ),
    files: z.array(fileSchema),
    before: described("The release that carried values come from.", z.int()).optional(),
    audit: z.object({ at: instant, by: z.string(), checks: z.array(checkSchema) }).optional(),
    published: z
      .object({ at: instant, by: z.string(), reason: z.string().optional(), manifest: fileSchema })
      .optional(),
  }),
);
export type ReleaseView = Answer<typeof releaseSchema>;

export const datasetSchema = named(
  "Dataset",
  z.object({
    name: z.string(),
    client: z.string(),
    createdAt: instant,
    isDeclared: described(
      "True if it is declared in the configuration, and can only be changed there.",
      z.boolean(),
    ),
    current: z.object({ release: z.int(), at: instant }).nullable(),
    last: described("The number of the newest release.", z.int()),
    isLate: z.boolean(),
    spec: datasetSpecSchema,
  }),
);
export type DatasetView = Answer<typeof datasetSchema>;

const tally = z.object({ count, keys: z.array(z.string()) });

export const releaseDiffSchema = named(
  "ReleaseDiff",
  z.object({
    dataset: z.string(),
    before: z.int(),
    after: z.int(),
    new: tally,
    gone: tally,
    changed: tally,
    unchanged: count,
    fields: z.record(
      z.string(),
      z.object({
        changed: count,
        examples: z.array(z.object({ key: z.string(), before: z.unknown(), after: z.unknown() })),
      }),
    ),
  }),
);
export type ReleaseDiff = Answer<typeof releaseDiffSchema>;

export const latestSchema = named(
  "LatestRelease",
  z.object({
    dataset: z.string(),
    release: z.int(),
    publishedAt: instant,
    rows: count,
    files: z.array(fileSchema.extend({ path: described("Path in this API.", z.string()) })),
    manifest: fileSchema,
  }),
);
export type LatestRelease = Answer<typeof latestSchema>;

export const writeSchema = z.strictObject({
  jobs: described("The job to read for each source, by the source's name.", z.record(text, text)).optional(),
});
export type WriteRequest = Request<typeof writeSchema>;

export const publishSchema = z.strictObject({
  reason: described(
    "Why it is published although the audit held it.",
    z.string().min(1).max(2000),
  ).optional(),
});
export type PublishRequest = Request<typeof publishSchema>;

export const rollbackSchema = z.strictObject({
  to: described(
    "A release that was published; by default the one before the current release.",
    z.int().min(1),
  ).optional(),
});
export type RollbackRequest = Request<typeof rollbackSchema>;

const number = z.coerce.number().int().min(1);
export const releaseDiffQuery = z.strictObject({
  before: described("By default the published release before `after`.", number).optional(),
  after: described("By default the current release.", number).optional(),
  examples: described(
    "Examples of each kind of change; 5 by default.",
    z.coerce.number().int().min(0).max(20),
  ).default(5),
});
export interface ReleaseDiffQuery {
  readonly before?: number;
  readonly after?: number;
  readonly examples?: number;
}

export const datasetParams = z.object({ dataset: datasetName });
export const releaseParams = z.object({ dataset: datasetName, release: number });
