import type { Fields, ExtractSpec } from "../extraction/extract-spec.ts";
import type { ExtractFunction } from "../extraction/extract-function.ts";
import type { RecordOf } from "../extraction/field.ts";
import type { AnyScraper, Scraper } from "./scraper.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** A scraper that remembers its types: `InputOf<typeof scraper>`, `RecordFrom<typeof scraper>`. */
export interface DefinedScraper<Input, F extends Fields> extends AnyScraper {
  readonly "~types"?: { readonly input: Input; readonly record: RecordOf<F> };
}

export type InputOf<S> = S extends DefinedScraper<infer Input, Fields> ? Input : never;
/** Each field's value, or null: a field may be empty, missing or malformed. */
export type RecordFrom<S> = S extends DefinedScraper<unknown, infer F> ? RecordOf<F> : never;

/** Typed from the input schema to the record; what it returns is checked once more when it is loaded. */
export const defineScraper = <Input, F extends Fields = Fields>(
  scraper: Omit<Scraper<Input>, "input" | "extract"> & {
    readonly input: StandardSchema<unknown, Input>;
    readonly extract?: ExtractSpec<F> | ExtractFunction;
  },
): DefinedScraper<Input, F> => scraper as unknown as DefinedScraper<Input, F>;
