/** What a query takes from an element that it finds. */
export type Taken =
  /** As a person reads it: see `HtmlDocument.textOf`. */
  | "text"
  /** As written, scripts included: see `HtmlDocument.rawTextOf`. */
  | "raw"
  /** The source between its tags: see `HtmlDocument.htmlOf`. */
  | "html"
  /** An attribute's value with white space folded. */
  | { readonly attribute: string }
  /** The attribute that holds the element's address: see `linkAttributeOf`. */
  | "link";

export interface PageQuery {
  readonly css: string;
  readonly take: Taken;
  /** All matches in document order; otherwise the first one only. */
  readonly isMany: boolean;
}

export interface Match {
  /** Undefined where the element has no such attribute. */
  readonly text: string | undefined;
  /** Where its start tag begins in the text of the page. */
  readonly at: number;
  readonly tag: string;
  /** The query found too much inside of itself on this page: see `QueryCosts`. There is no text, and no match after this one. */
  readonly isTooLong?: true;
}

/** The answers of the row queries for one match of `each`. */
export interface Row {
  readonly at: number;
  readonly answers: readonly (readonly Match[] | undefined)[];
}

const LINK_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ["a", "href"],
  ["area", "href"],
  ["link", "href"],
  ["base", "href"],
  ["form", "action"],
  ["object", "data"],
  ["meta", "content"],
]);

export const linkAttributeOf = (tag: string): string => LINK_ATTRIBUTES.get(tag) ?? "src";

/** Characters of source. What does not stand inside of itself costs a page's length, once to search and once to take. */
const MOST = 32_000_000;
const MOST_TIMES = 4;

/**
 * What each query has cost on one page. Matches inside of matches are gone over once for every element around them, so that a small
 * page of nothing but open tags could cost any time and memory.
 */
export class QueryCosts {
  readonly #most: number;
  readonly #spent = new Map<PageQuery, number>();

  constructor(pageLength: number) {
    this.#most = Math.max(MOST, MOST_TIMES * pageLength);
  }

  /** False when the query has had its share of this page. */
  spend(query: PageQuery, characters: number): boolean {
    const spent = (this.#spent.get(query) ?? 0) + characters;
    this.#spent.set(query, spent);
    return spent <= this.#most;
  }
}
