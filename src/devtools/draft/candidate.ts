import type { FieldDraft } from "./field-draft.ts";

/** What was seen on the page that may be worth a field. */
export interface Candidate {
  /** What the page calls it; the field's name is made of this. */
  readonly label: string;
  readonly from: Origin;
  /** Ways to find it again, the best first: the first that finds the same is taken. */
  readonly choices: readonly FieldDraft[];
  /**
   * What stands there: a way that finds something else is no way. What a person reads, white space folded; where a link leads may stand
   * for it. Left out where any value will do.
   */
  readonly texts?: readonly string[];
  /** Other pages of the site may well be without it. */
  readonly isOptional?: boolean;
}

/** How a field was come by: shown to the author, who knows what to make of it. */
export type Origin = "json-ld" | "label" | "heading" | "meta" | "table" | "list" | "row" | "link";
