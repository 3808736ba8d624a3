import type { PageQuery } from "./scan/page-query.ts";
import { WantedLabels } from "./labels/label-index.ts";

/** Collects what the fields of a scraper ask a page, each question once, so that one pass can answer them all. */
export class QueryList {
  readonly #slots = new Map<string, number>();
  readonly #queries: PageQuery[] = [];

  /** The slot under which the answer will stand. */
  add(query: PageQuery): number {
    const key = JSON.stringify([query.css, query.take, query.isMany]);
    let slot = this.#slots.get(key);
    if (slot === undefined) {
      slot = this.#queries.push(query) - 1;
      this.#slots.set(key, slot);
    }
    return slot;
  }

  get queries(): readonly PageQuery[] {
    return this.#queries;
  }
}

/** `json-row`: an entry of a list in JSON, which has no elements. */
type InnerScope = "element" | "table-row" | "json-row";

/** What fields ask when they are compiled. */
export interface QueryLists {
  /** Of their own scope: the page, or an element of it such as a row. */
  readonly own: QueryList;
  readonly page: QueryList;
  readonly scope: "page" | InnerScope;
  /** Every label that the scraper asks for: one of them is never the value of another. */
  readonly labels: WantedLabels;
}

export const pageBook = (): QueryLists => {
  const page = new QueryList();
  return { own: page, page, scope: "page", labels: new WantedLabels() };
};

/** A book for the fields inside of an element or a row. */
export const bookWithin = (book: QueryLists, scope: InnerScope): QueryLists => ({
  ...book,
  own: new QueryList(),
  scope,
});
