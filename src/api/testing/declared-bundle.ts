import { createHash } from "node:crypto";
import { packBundle } from "../../scrapers/bundle.ts";

/** The bundle of a scraper without code. */
export const declaredBundle = (name: string, site = "https://x.example"): Buffer<ArrayBuffer> => {
  const steps = [{ type: "navigate", url: `${site}/{{id}}` }];
  const declared = { kind: "recording", name, input: { id: "string" }, recording: { title: "t", steps } };
  const text = JSON.stringify(declared);
  const version = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const entry = "code/it.scraper.json";
  return packBundle({ name, version, entry, packages: {}, files: { [entry]: text }, binary: {} });
};
