import { z } from "zod";
import { named, says } from "../api-registry.ts";

export const captureSchema = named(
  "Capture",
  z.object({
    number: says("Its place among the item's captures, from 0.", z.int()),
    name: z.string(),
    url: z.string(),
    mediaType: z.string(),
    digest: says("`sha256:` and hex, of the body as it came over the wire.", z.string()),
    storedBytes: says("What it takes up in the archive, compressed.", z.int()),
    isFile: says("An object of its own (`keep.file`), and no page among others.", z.boolean()),
    link: says(
      "Where the body can be fetched without the API: for whole objects of this job, in a store that has such links.",
      z.string(),
    ).optional(),
  }),
);

export type ApiCapture = z.infer<typeof captureSchema>;
