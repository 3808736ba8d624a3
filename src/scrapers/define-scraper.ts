import type { Fields, ExtractSpec } from "../extraction/extract-spec.ts";
import type { ExtractFunction } from "../extraction/extract-function.ts";
import type { RecordOf } from "../extraction/field.ts";
import type { EmitToOther, EmitToSelf } from "./emit-to.ts";
import type { AnyScraper, Scraper } from "./scraper.ts";
import type { StandardSchema } from "./standard-schema.ts";

/** A scraper that remembers its types: `InputOf<typeof scraper>`, `RecordFrom<typeof scraper>`. */
export interface DefinedScraper<Input, F extends Fields, Given = unknown> extends AnyScraper {
  readonly "~types"?: { readonly input: Input; readonly record: RecordOf<F>; readonly given: Given };
}

export type InputOf<S> = S extends DefinedScraper<infer Input, Fields> ? Input : never;
/** Each field's value, or null: a field may be empty, missing or malformed. */
export type RecordFrom<S> = S extends DefinedScraper<unknown, infer F> ? RecordOf<F> : never;

/** Typed from the input schema to the record; what it returns is checked once more when it is loaded. */
export const defineScraper = <Given, Input, F extends Fields = Fields>(
  scraper: Omit<Scraper<Input>, "input" | "extract" | "emit"> & {
    readonly input: StandardSchema<Given, Input>;
    readonly extract?: ExtractSpec<F> | ExtractFunction;
    /** Inputs found on its pages become items of the same job: `[emitTo(detail, { … })]`. */
    readonly emit?: readonly (EmitToOther<NoInfer<Input>> | EmitToSelf<NoInfer<Input>, NoInfer<Given>>)[];
  },
): DefinedScraper<Input, F, Given> => scraper as unknown as DefinedScraper<Input, F, Given>;
