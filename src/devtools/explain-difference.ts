import type { KeptPage } from "../domain/capture.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { Difference } from "./compare-records.ts";
import { explainEach, explainField, explainPages, type FieldExplanation } from "./explain-field.ts";
import type { FoundRecord } from "./fixture.ts";

/** The piece of the page that a difference is about, and why it came out so. */
export const explainDifference = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
  records: readonly FoundRecord[],
  difference: Difference,
): FieldExplanation | undefined => {
  if (difference.what === "records") return difference.got === 0 ? explainEach(ready, pages) : undefined;
  if (difference.what === "failure")
    return difference.got?.kind === "structure-changed" ? explainPages(ready, pages) : undefined;
  if (difference.what === "emitted") return undefined;
  const { field, record, got } = difference;
  return got === undefined ? undefined : explainField(ready, pages, records, { record, field });
};
