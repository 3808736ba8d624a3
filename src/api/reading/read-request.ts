import type { Change } from "../../domain/freshness.ts";
import type { ItemQuery } from "../../ports/ledger.ts";

export const EXPORT_FORMATS = ["jsonl", "csv", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A read that takes long, or may: it is answered as bytes, by whoever has time. */
export type ReadRequest =
  | {
      readonly kind: "results";
      readonly job: string;
      readonly format: ExportFormat;
      readonly scraper?: string;
      readonly extraction?: string;
      readonly gaps?: "keep" | "drop";
      readonly changes?: readonly Change[];
    }
  /** As clients get it, or as it is kept in the archive: then nothing is answered. */
  | { readonly kind: "manifest" | "keep-manifest"; readonly job: string }
  /** A page of items, as JSON; `batch`: as the results of a batch. */
  | { readonly kind: "items" | "batch"; readonly job: string; readonly query: ItemQuery };
