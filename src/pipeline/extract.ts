import type { Extraction } from "../extraction/extract-spec.ts";
import type { KeptPage } from "../domain/capture.ts";
import { FailureError } from "../domain/failure.ts";
import type { Failure } from "../domain/failure.ts";
import type { RawRecord } from "../domain/record.ts";
import type { FoundInput, ReadyEmit } from "../scrapers/compile-emit.ts";
import { scraperError } from "./collect.ts";

/** Captures in, raw field values out. Pure: stored captures give the same result again. */
export const extract = (
  extraction: Extraction,
  pages: readonly KeptPage[],
): { readonly records: readonly RawRecord[] } | { readonly failure: Failure } => {
  try {
    // A page that was just collected has its parsed document; a stored one is parsed here.
    return { records: extraction.read(pages) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
};

/** A page that cannot be parsed (truncated XML, no JSON where JSON is expected) is not the scraper's fault. */
const failureOf = (error: unknown): Failure =>
  error instanceof FailureError ? error.failure : scraperError(error);

/** Inputs found for one scraper. */
export interface Discovery {
  readonly target: string;
  readonly inputs: readonly FoundInput[];
}

/** Finds inputs for the same or another scraper. A list shorter than its minimum counts as a changed structure. */
export const discover = (
  emits: readonly ReadyEmit[],
  pages: readonly KeptPage[],
  input: unknown,
): { readonly found: readonly Discovery[] } | { readonly failure: Failure } => {
  try {
    const found = emits.map(({ target, read }) => ({ target, inputs: read(pages, input) }));
    const short = emits.findIndex(({ min }, at) => found[at]!.inputs.length < min);
    if (short < 0) return { found };
    return { failure: tooFew(found[short]!, emits[short]!.min) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
};

const tooFew = ({ target, inputs }: Discovery, min: number): Failure => ({
  kind: "structure-changed",
  detail:
    inputs.length === 0
      ? `the page loaded, but no input for ${target} was found on it`
      : `the page loaded, but only ${inputs.length} of at least ${min} inputs for ${target} were found on it`,
});
