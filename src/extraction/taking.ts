import type { JsonAs } from "./json/json-hits.ts";
import type { Taken } from "./scan/page-query.ts";

/** What a field takes from the elements it finds. */
export interface Taking {
  /** Most take one thing; an e-mail may stand in the text, in the link or in an attribute. */
  readonly takes: readonly Taken[];
  /** Chooses among what was taken, in the order of `takes`. */
  readonly pick?: (texts: readonly (string | undefined)[]) => string | undefined;
  /** All matches instead of the first. */
  readonly isMany: boolean;
  readonly jsonAs: JsonAs;
}
