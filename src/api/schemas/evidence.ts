import { z } from "zod";
import { named, says } from "../api-registry.ts";
import { captureSchema } from "./capture.ts";
import { failureKind } from "./failure.ts";
import { instant } from "./instant.ts";

export const evidenceSchema = named(
  "Evidence",
  z.object({
    chart: says("What stands out: `failures`, `absent`, or `missing:` and a field.", z.string()),
    reason: z.string(),
    counts: says(
      "The last fifty outcomes, or as many as there were: `done`, `absent` and kinds of failures.",
      z.record(z.string(), z.int().min(0)),
    ),
    since: says("When the trouble began.", instant).optional(),
    heals: says("Such trouble goes away without a person.", z.boolean()),
    examples: says(
      "Up to three items that show it.",
      z.array(
        z.object({
          item: says("The item's id.", z.string()),
          key: z.string(),
          kind: failureKind.optional(),
          detail: z.string().optional(),
          captures: z.array(captureSchema),
        }),
      ),
    ),
  }),
);

export type ApiEvidence = z.infer<typeof evidenceSchema>;
