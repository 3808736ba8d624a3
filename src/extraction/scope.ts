import type { HtmlElement } from "./html-document.ts";
import type { Hit } from "./hit.ts";
import type { JsonRoot } from "./json/json-roots.ts";
import type { PageView } from "./page-view.ts";
import { matchesOf } from "./scan/answer-by-document.ts";
import type { Match, PageQuery } from "./scan/page-query.ts";

type Answers = readonly (readonly Match[] | undefined)[];

/** A page, or an element of it, with the answers to what the fields ask of it: from the scan, else from the document. */
export class Scope {
  readonly view: PageView;
  /** The scope of the page around this one; a page's own is itself. */
  readonly page: Scope;
  readonly #queries: readonly PageQuery[];
  readonly #scanned: Answers | undefined;
  readonly #findElement: (() => HtmlElement | undefined) | undefined;
  #element: HtmlElement | undefined;
  #asked: (readonly Match[] | undefined)[] | undefined;

  constructor(
    view: PageView,
    queries: readonly PageQuery[],
    scanned?: Answers,
    page?: Scope,
    findElement?: () => HtmlElement | undefined,
  ) {
    this.view = view;
    this.#queries = queries;
    this.#scanned = scanned;
    this.page = page ?? this;
    this.#findElement = findElement;
  }

  /** The element that selectors are relative to; none for the page itself. */
  get element(): HtmlElement | undefined {
    return (this.#element ??= this.#findElement?.());
  }

  matches(slot: number): readonly Match[] {
    return this.#scanned?.[slot] ?? ((this.#asked ??= [])[slot] ??= this.#ask(slot));
  }

  #ask(slot: number): readonly Match[] {
    const query = this.#queries[slot];
    if (query === undefined) throw new RangeError(`there is no query ${slot}`);
    return matchesOf(this.view.document, query, this.view.costs, this.element);
  }
}

/** A row of a table: its cells by the key of their column. */
export class RowScope extends Scope {
  readonly cells: ReadonlyMap<string, HtmlElement>;

  constructor(
    page: Scope,
    queries: readonly PageQuery[],
    row: HtmlElement,
    cells: ReadonlyMap<string, HtmlElement>,
  ) {
    super(page.view, queries, undefined, page, () => row);
    this.cells = cells;
  }
}

/** A row of JSON: an entry of a list. */
export class JsonScope extends Scope {
  readonly row: JsonRoot;

  constructor(page: Scope, queries: readonly PageQuery[], row: JsonRoot) {
    super(page.view, queries, undefined, page);
    this.row = row;
  }
}

/** A text or a value of JSON that an extract function has found itself. */
export class GivenScope extends Scope {
  readonly hits: readonly Hit[];

  constructor(view: PageView, queries: readonly PageQuery[], hits: readonly Hit[]) {
    super(view, queries);
    this.hits = hits;
  }
}
