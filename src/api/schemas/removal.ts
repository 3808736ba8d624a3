import { z } from "zod";
import { isoTime } from "../iso-time.ts";
import { REMOVAL_SCOPES, type Removal } from "../../domain/removal.ts";
import { named, says } from "../api-registry.ts";
import { instant } from "./instant.ts";

export const removalSchema = named(
  "Removal",
  z.object({
    job: z.string(),
    client: z.string(),
    scraper: z.string(),
    what: says("`pages`: records, manifest and counts stay.", z.enum(REMOVAL_SCOPES)),
    createdAt: says("When the job began.", instant),
    endedAt: says("When the job ended.", instant),
    removedAt: says("From then on nothing of it could be read.", instant),
    isComplete: says("False while something is still to be deleted.", z.boolean()),
    removed: says(
      "So far. `bytes` are those of the archive.",
      z.object({ items: z.int(), captures: z.int(), bytes: z.int() }),
    ),
    kept: says(
      "What stays until the jobs have gone whose items point to it.",
      z.object({ objects: z.int(), bytes: z.int() }),
    ),
  }),
);

export const removalAnswer = ({
  createdAt,
  endedAt,
  removedAt,
  ...rest
}: Removal): z.infer<typeof removalSchema> => ({
  ...rest,
  createdAt: isoTime(createdAt),
  endedAt: isoTime(endedAt),
  removedAt: isoTime(removedAt),
});
