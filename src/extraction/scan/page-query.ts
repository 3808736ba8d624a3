/** What a query takes from an element. */
export type Taken =
  /** Visible text: see `HtmlDocument.textOf`. */
  | "text"
  /** As written, scripts included: see `HtmlDocument.rawTextOf`. */
  | "raw"
  /** The source between its tags: see `HtmlDocument.htmlOf`. */
  | "html"
  /** An attribute's value with white space folded. */
  | { readonly attribute: string }
  /** The attribute that holds the element's URL: see `linkAttributeOf`. */
  | "link";

export interface PageQuery {
  readonly css: string;
  readonly take: Taken;
  /** All matches in document order; otherwise only the first. */
  readonly isMany: boolean;
}

export interface Match {
  /** Undefined if the element has no such attribute. */
  readonly text: string | undefined;
  /** Where its start tag begins in the text of the page. */
  readonly at: number;
  readonly tag: string;
  /** The query matched too much inside its own matches: see `QueryCosts`. There is no text, and no further match. */
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

/** Characters of source. Without nested matches a query costs the page's length twice: to search and to take. */
const MOST = 32_000_000;
const MOST_TIMES = 4;

/**
 * What each query has cost on one page. Nested matches are read once for every element around them, so a small page of only open
 * tags could cost any time and memory.
 */
export class QueryCosts {
  readonly #most: number;
  readonly #spent = new Map<PageQuery, number>();

  constructor(pageLength: number) {
    this.#most = Math.max(MOST, MOST_TIMES * pageLength);
  }

  /** False if the query has used up its share of this page. */
  spend(query: PageQuery, characters: number): boolean {
    const spent = (this.#spent.get(query) ?? 0) + characters;
    this.#spent.set(query, spent);
    return spent <= this.#most;
  }
}
