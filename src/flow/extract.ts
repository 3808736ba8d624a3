import type { Extraction } from "../extraction/extract-spec.ts";
import type { KeptPage } from "../model/capture.ts";
import type { Failure } from "../model/failure.ts";
import type { RawRecord } from "../model/record.ts";
import { scraperError } from "./collect.ts";

/** Captures in, raw field values out. Needs no network: it gives the same again on stored captures. */
export const extract = (
  extraction: Extraction,
  pages: readonly KeptPage[],
): { readonly records: readonly RawRecord[] } | { readonly failure: Failure } => {
  try {
    // A page that was just collected brings its parsed document along; a stored one is parsed on the way.
    return { records: extraction.read(pages) };
  } catch (error) {
    return { failure: scraperError(error) };
  }
};
