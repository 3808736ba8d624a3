import type { KeptPage } from "../domain/capture.ts";
import type { HtmlDocument } from "./html-document.ts";
import type { JsonRoot } from "./json/json-roots.ts";
import { rootsIn } from "./json/json-source.ts";
import type { ElementSource } from "./json/json-source.ts";
import type { LabelIndex } from "./labels/label-index.ts";
import { pageKind } from "./page-kind.ts";
import type { PageKind } from "./page-kind.ts";
import { parsePageJson } from "./json/page-json.ts";
import { parsePage } from "./parse-page.ts";
import { compileSelector } from "./selector.ts";
import { QueryCosts } from "./scan/query-costs.ts";

/** A kept page, with its document where somebody has made one already. */
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

  /** A scan reads HTML only. Where somebody has asked the document already, that costs less than another scan. */
  get canScan(): boolean {
    return this.kind === "html" && this.page.document?.isParsed !== true;
  }

  get document(): HtmlDocument {
    return (this.#document ??= this.page.document ?? parsePage(this.page));
  }

  /** The page itself as JSON. Throws `FailureError` with `bad-content` where it is none. */
  get json(): JsonRoot {
    return (this.#json ??= parsePageJson(this.page));
  }

  /** What relative links are relative to: the page's first `<base href>` or the root's `xml:base`, else its own address. */
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

  /** The JSON of a source in a script's text, parsed and searched once for all fields. `key` tells sources apart. */
  rootsIn(key: string, source: ElementSource, text: string): readonly unknown[] {
    this.#roots ??= new Map();
    let known = this.#roots.get(key);
    if (known === undefined) this.#roots.set(key, (known = new Map()));
    let roots = known.get(text);
    if (roots === undefined) known.set(text, (roots = rootsIn(source, text)));
    return roots;
  }
}
