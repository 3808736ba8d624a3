import { z } from "zod";
import { FAILURE_KINDS } from "../domain/failure.ts";
import { ITEM_CHOICES } from "../domain/inputs-from.ts";
import { type Answer, count, described, instant, named, pageQuery } from "./describe.ts";

/** Names of input sets and schedules: they are parts of paths and of object names. */
export const plainName = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, {
  error: "expected up to 64 lower-case letters, digits, dots, dashes and underscores",
});

const MOST_ROWS = 1000;
const MOST_RUNS = 100;
const MOST_WEEKS = 520;

const itemsOf = z.strictObject({
  scraper: described(
    "Scraper of the earlier jobs; by default that of the new job.",
    z.string().min(1).max(64),
  ).optional(),
  job: described("This job instead of the newest one that has ended.", z.string().min(1).max(100)).optional(),
  which: described(
    "`absent` or `failed` in the last run; `changed` in one of the last `runs`, for jobs with `freshness`; `unchecked` for `weeks`: known, but neither done nor absent since then.",
    z.enum(ITEM_CHOICES),
  ),
  kinds: described(
    "With `failed`: only these failure kinds.",
    z.array(z.enum(FAILURE_KINDS)).min(1).max(FAILURE_KINDS.length),
  ).optional(),
  runs: described(
    "With `changed`: the number of runs; 1 by default.",
    z.int().min(1).max(MOST_RUNS),
  ).optional(),
  weeks: described(
    "With `unchecked`: the number of weeks; 1 by default.",
    z.int().min(1).max(MOST_WEEKS),
  ).optional(),
});

export const inputsFromSchema = named(
  "InputsFrom",
  z.union([
    z.strictObject({
      set: described("Name of an input set.", plainName),
      version: described("By default the newest when the job is created.", z.int().min(1)).optional(),
    }),
    z.strictObject({
      rows: described(
        "Up to 1,000 inputs.",
        z.array(z.record(z.string(), z.unknown())).min(1).max(MOST_ROWS),
      ),
    }),
    z.strictObject({ itemsOf: described("Inputs of the client's earlier jobs.", itemsOf) }),
    z.strictObject({
      url: described(
        "CSV, NDJSON, JSON or a list of URLs; read once, when the job starts.",
        z.url({ protocol: /^https?$/ }).max(2000),
      ),
    }),
    z.strictObject({
      file: described("A file on the controller's machine; not over the API.", z.string().min(1).max(4000)),
    }),
  ]),
);

const versionSchema = named(
  "InputSetVersion",
  z.object({
    version: z.int(),
    at: instant,
    by: described("As in the audit log.", z.string()),
    how: described("How it was made from the previous version.", z.enum(["replaced", "added", "removed"])),
    rows: count,
    bytes: described("Size of the rows as JSON lines.", count),
    digest: described("SHA-256 of the rows as JSON lines.", z.string()),
  }),
);

export const inputSetSchema = named(
  "InputSet",
  z.object({
    name: z.string(),
    client: z.string(),
    key: described("Members that identify a row; all of them if absent.", z.array(z.string())).optional(),
    versions: described("Newest first.", z.array(versionSchema)),
  }),
);
export type InputSet = Answer<typeof inputSetSchema>;

export const uploadedSetSchema = z.object({
  set: inputSetSchema,
  isNew: described("False if the rows equal the previous version, and no new version was made.", z.boolean()),
  folded: described("Duplicate rows that were ignored.", count),
});
export type UploadedSet = Answer<typeof uploadedSetSchema>;

export const setParams = z.object({ set: described("The set's name.", plainName) });
export const setVersionParams = setParams.extend({ version: z.coerce.number().int().min(1) });

export const SET_CHANGES = ["replace", "add", "remove"] as const;
export type SetChange = (typeof SET_CHANGES)[number];

export const setUploadQuery = z.strictObject({
  change: described(
    "What is done with the rows: they become the set, or are added to it or removed from it.",
    z.enum(SET_CHANGES),
  ).default("replace"),
  key: described(
    "For a new set: members that identify a row, separated by commas.",
    z.string().min(1).max(500),
  ).optional(),
  client: described(
    "For a new set: the client that owns it; for operators.",
    z.string().min(1).max(100),
  ).optional(),
});

export const setQuery = z.strictObject({ ...pageQuery(200, 50) });

export const setDiffQuery = z.strictObject({
  from: described("By default the version before `to`.", z.coerce.number().int().min(1)).optional(),
  to: described("By default the newest.", z.coerce.number().int().min(1)).optional(),
  examples: described("Rows shown of each kind.", z.coerce.number().int().min(0).max(1000)).default(10),
});
export interface SetDiffQuery {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly examples?: number;
}

const rows = z.array(z.record(z.string(), z.unknown()));

export const setDiffSchema = named(
  "InputSetDiff",
  z.object({
    from: z.int(),
    to: z.int(),
    added: count,
    removed: count,
    changed: described("Rows with the same key and other members.", count),
    unchanged: count,
    examples: z.object({ added: rows, removed: rows, changed: rows }),
  }),
);
export type SetDiff = Answer<typeof setDiffSchema>;
