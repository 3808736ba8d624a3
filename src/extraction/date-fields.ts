import type { Extraction } from "./extract-spec.ts";

/** Names of the fields that are dates, for those who keep them in a type of their own. */
export const dateFields = (extraction: Pick<Extraction, "fields"> | undefined): readonly string[] =>
  [...(extraction?.fields ?? [])].filter(([, { kind }]) => kind === "date").map(([name]) => name);
