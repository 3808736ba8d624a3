/** Versions of scrapers: which one runs, what differs, how a new one is judged. */
import { z } from "zod";
import { type Answer, count, described, instant, named, type Request } from "./describe.ts";

const example = z.object({ key: z.string(), before: z.unknown(), after: z.unknown() });

export const gateSchema = named(
  "Gate",
  z.object({
    version: z.string(),
    against: described("The version that it was compared with.", z.string()).optional(),
    at: instant,
    isRefused: z.boolean(),
    reasons: described("Why it is refused, or needs a canary.", z.array(z.string())),
    needsCanary: described(
      "Options that changed and that stored pages cannot test, such as `collect`.",
      z.array(z.string()),
    ),
    pages: described(
      "The items whose pages were read, and why they were picked.",
      z.object({
        items: count,
        newest: count,
        incomplete: count,
        months: z.record(z.string(), count),
      }),
    ),
    fixtures: described(
      "Result of the fixture tests; absent if the installation's file has another version.",
      z.object({ cases: count, failed: z.array(z.string()) }),
    ).optional(),
    fields: described(
      "The result for each field; `(item)` counts items that can be read at all, `(records)` their records.",
      z.array(
        z.object({
          name: z.string(),
          same: count,
          gained: count,
          lost: count,
          changed: count,
          p: described(
            "Probability of at least this many losses if both versions were equally good.",
            z.number(),
          ),
          refused: z.string().optional(),
          lostExamples: z.array(example),
          gainedExamples: z.array(example),
          groups: described(
            "Changed values, grouped by the kind of change.",
            z.array(z.object({ change: z.string(), count, examples: z.array(example) })),
          ),
        }),
      ),
    ),
  }),
);
export type Gate = Answer<typeof gateSchema>;

const badCount = described(
  "The number of items, and how many of them were bad.",
  z.object({ items: count, bad: count }),
);

export const canarySchema = named(
  "Canary",
  z.object({
    state: z.enum(["running", "undecided", "rolled-back", "promoted"]),
    share: described(
      "Share of the items; the default depends on the size of the job.",
      z.number(),
    ).optional(),
    tolerance: described("How much worse a required field may be.", z.number()),
    startedAt: instant,
    by: z.string(),
    endedAt: instant.optional(),
    reason: described("Why it ended.", z.string()).optional(),
    items: described("Items of the canary that have ended.", count),
    fields: described(
      "By field, the clearest difference first: bad items are those where it is missing or malformed, and those that failed or are absent.",
      z.array(z.object({ field: z.string(), canary: badCount, control: badCount, evidence: z.number() })),
    ),
    unread: described("Jobs whose canary items have not been extracted again yet.", z.array(z.string())),
  }),
);

export const versionSchema = named(
  "Version",
  z.object({
    version: z.string(),
    pointers: described("Its current pointers.", z.array(z.enum(["active", "canary", "previous"]))),
    bundle: described("SHA-256 of its bundle.", z.string()),
    by: described("Who deployed it, as in the audit log.", z.string()),
    at: instant,
    commit: z.string().optional(),
    difference: described(
      "Differences from the previous version; `+` and `-` mark added and removed parts.",
      z.object({
        from: z.string(),
        files: z.array(z.string()),
        fields: z.array(z.string()),
        unjudged: z.array(z.string()),
      }),
    ).optional(),
    activations: described(
      "When it became active, newest last.",
      z.array(
        z.object({
          at: instant,
          by: z.string(),
          how: z.enum(["activated", "rolled back", "promoted"]),
          accepted: described("Why it was activated although it was refused.", z.string()).optional(),
        }),
      ),
    ),
    gate: described(
      "The last comparison on stored pages.",
      z.object({
        at: instant,
        against: z.string().optional(),
        isRefused: z.boolean(),
        reasons: z.array(z.string()),
        items: count,
      }),
    ).optional(),
    canary: canarySchema.optional(),
  }),
);
export type Version = Answer<typeof versionSchema>;

export const versionsSchema = named(
  "Versions",
  z.object({
    scraper: z.string(),
    active: described(
      "The version that new jobs use; if absent, they use the installation's file.",
      z.string(),
    ).optional(),
    canary: described("The version that some items of new jobs use.", z.string()).optional(),
    previous: described("The version that `rollback` returns to.", z.string()).optional(),
    data: described("Newest first.", z.array(versionSchema)),
  }),
);
export type Versions = Answer<typeof versionsSchema>;

const move = described(
  "Also moves jobs that are not done, with their next claim. By default they keep their version.",
  z.boolean(),
).default(false);

export const activateSchema = z.strictObject({
  accept: described(
    "Why the version is activated although it is refused; stored with it.",
    z.string().min(1).max(1000),
  ).optional(),
  move,
});
export type Activation = Request<typeof activateSchema>;

export const moveSchema = z.strictObject({ move });

export const startCanarySchema = z.strictObject({
  share: described(
    "Share of the items; 0.05 by default, 0.1 in jobs of fewer than 10,000 items.",
    z.number().min(0.001).max(0.5),
  ).optional(),
  tolerance: described(
    "How much worse a required field may be for the version to be promoted; 0.01 by default.",
    z.number().min(0.001).max(0.5),
  ).optional(),
  move,
});
export type StartCanary = Request<typeof startCanarySchema>;

export const endCanarySchema = z.strictObject({
  to: described("`promote` makes it active.", z.enum(["promote", "roll-back"])),
  reason: z.string().min(1).max(1000).optional(),
});
export type EndCanary = Request<typeof endCanarySchema>;

export const movedSchema = z.object({
  version: versionSchema,
  moved: described("Jobs that were moved to this version.", z.array(z.string())),
});
export type Moved = Answer<typeof movedSchema>;

export const activatedSchema = movedSchema.extend({ gate: gateSchema });
export type Activated = Answer<typeof activatedSchema>;
