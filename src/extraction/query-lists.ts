import type { PageQuery } from "./scan/page-query.ts";
import { WantedLabels } from "./labels/label-index.ts";

/** The queries of a scraper's fields, each once, so that one pass can answer all of them. */
export class QueryList {
  readonly #slots = new Map<string, number>();
  readonly #queries: PageQuery[] = [];

  /** Returns the slot of the answer. */
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

/** `json-row`: an entry of a JSON list, which has no elements. */
type InnerScope = "element" | "table-row" | "json-row";

/** Filled when fields are compiled. */
export interface QueryLists {
  /** Queries in the fields' own scope: the page, or an element such as a row. */
  readonly own: QueryList;
  readonly page: QueryList;
  readonly scope: "page" | InnerScope;
  /** All labels that the scraper looks for: one is never the value of another. */
  readonly labels: WantedLabels;
}

export const pageLists = (): QueryLists => {
  const page = new QueryList();
  return { own: page, page, scope: "page", labels: new WantedLabels() };
};

/** For the fields inside an element or a row. */
export const listsWithin = (lists: QueryLists, scope: InnerScope): QueryLists => ({
  ...lists,
  own: new QueryList(),
  scope,
});
