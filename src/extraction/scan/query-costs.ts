import type { PageQuery } from "./page-query.ts";

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
