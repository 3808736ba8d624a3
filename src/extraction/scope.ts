import type { KeptPage } from "../domain/capture.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { type ElementSource, type JsonRoot, rootsIn } from "./json/json-source.ts";
import { parsePageJson } from "./json/page-json.ts";
import type { LabelIndex } from "./labels/label-index.ts";
import { pageKind, type PageKind, parsePage } from "./parse-page.ts";
import type { Hit } from "./place.ts";
import { matchesOf } from "./scan/answer-by-document.ts";
import { type Match, type PageQuery, QueryCosts } from "./scan/page-query.ts";
import { compileSelector } from "./selector.ts";

type Answers = readonly (readonly Match[] | undefined)[];

interface ScopeParts {
  readonly scanned?: Answers | undefined;
  /** The scope of the whole page; itself by default. */
  readonly page?: Scope;
  readonly findElement?: () => HtmlElement | undefined;
  /** In a table row: its cells by column key. */
  readonly cells?: ReadonlyMap<string, HtmlElement>;
  /** In a JSON row: an entry of a list. */
  readonly row?: JsonRoot;
  /** What an extract function has found itself. */
  readonly hits?: readonly Hit[];
}

/** A page or an element of it, with the answers to the fields' queries: from the scan, else from the document. */
export class Scope {
  readonly view: PageView;
  readonly page: Scope;
  readonly cells: ScopeParts["cells"];
  readonly row: ScopeParts["row"];
  readonly hits: ScopeParts["hits"];
  readonly #queries: readonly PageQuery[];
  readonly #scanned: Answers | undefined;
  readonly #findElement: ScopeParts["findElement"];
  #element: HtmlElement | undefined;
  #asked: (readonly Match[] | undefined)[] | undefined;

  constructor(view: PageView, queries: readonly PageQuery[], parts: ScopeParts = {}) {
    this.view = view;
    this.#queries = queries;
    this.#scanned = parts.scanned;
    this.page = parts.page ?? this;
    this.#findElement = parts.findElement;
    this.cells = parts.cells;
    this.row = parts.row;
    this.hits = parts.hits;
  }

  /** The element that selectors are relative to; undefined for the page itself. */
  get element(): HtmlElement | undefined {
    return (this.#element ??= this.#findElement?.());
  }

  matches(slot: number): readonly Match[] {
    return this.#scanned?.[slot] ?? ((this.#asked ??= [])[slot] ??= this.#ask(slot));
  }

  #ask(slot: number): readonly Match[] {
    const query = this.#queries[slot];
    if (query === undefined) throw new RangeError(`unknown query ${slot}`);
    return matchesOf(this.view.document, query, this.view.costs, this.element);
  }
}

/** A kept page, with its document if it is already parsed. */
export interface ReadablePage extends KeptPage {
  readonly document?: HtmlDocument;
}

/** One page while it is read: what its fields share. Nothing is parsed before a field needs it. */
export class PageView {
  readonly page: ReadablePage;
  #document: HtmlDocument | undefined;
  #kind: PageKind | undefined;
  #roots: Map<string, Map<string, readonly unknown[]>> | undefined;
  #base: string | undefined;
  #json: JsonRoot | undefined;
  labels: LabelIndex | undefined;
  readonly costs: QueryCosts;

  constructor(page: ReadablePage) {
    this.page = page;
    this.costs = new QueryCosts(page.text.length);
  }

  get kind(): PageKind {
    return (this.#kind ??= pageKind(this.page));
  }

  /** A scan reads HTML only. If the document is already parsed, querying it costs less than a scan. */
  get canScan(): boolean {
    return this.kind === "html" && this.page.document?.isParsed !== true;
  }

  get document(): HtmlDocument {
    return (this.#document ??= this.page.document ?? parsePage(this.page));
  }

  /** The page itself as JSON. Throws `FailureError` with `bad-content` if it is not JSON. */
  get json(): JsonRoot {
    return (this.#json ??= parsePageJson(this.page));
  }

  /** The base of relative links: the page's first `<base href>` or the root's `xml:base`, else its own URL. */
  baseUrl(inHtml: () => string | undefined): string {
    return (this.#base ??= this.#readBase(inHtml));
  }

  #readBase(inHtml: () => string | undefined): string {
    const { url } = this.page;
    if (this.kind === "json") return url;
    const root = this.kind === "xml" ? this.document.first(compileSelector(":root")) : undefined;
    const href = (root && this.document.attr(root, "xml:base")) ?? inHtml();
    return href === undefined ? url : (URL.parse(href, url)?.href ?? url);
  }

  /** The JSON of a source in a script's text, parsed once for all fields. `key` identifies the source. */
  rootsIn(key: string, source: ElementSource, text: string): readonly unknown[] {
    this.#roots ??= new Map();
    let known = this.#roots.get(key);
    if (known === undefined) this.#roots.set(key, (known = new Map()));
    let roots = known.get(text);
    if (roots === undefined) known.set(text, (roots = rootsIn(source, text)));
    return roots;
  }
}
