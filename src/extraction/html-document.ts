import { buildTree } from "./build-tree.ts";
import { foldedText } from "./folded-text.ts";
import { type HtmlTree, TreeElement } from "./html-tree.ts";
import { linkAttributeOf } from "./scan/page-query.ts";
import { plainText, searchOf, type Selector } from "./selector.ts";

export interface HtmlElement {
  /** Lower case, as in `td`; in XML as written, as in `dc:creator`. */
  readonly tag: string;
}

/**
 * A parsed page: the only interface to parsing for the rest of Sluice. With `within`, selectors are relative to that element: they match
 * only below it and may begin with a combinator (`> td`, `+ tr .note`).
 */
export interface HtmlDocument {
  /** The page is already parsed, so further queries are cheap. */
  readonly isParsed: boolean;
  /** The first match in document order, or undefined. */
  first(selector: Selector, within?: HtmlElement): HtmlElement | undefined;
  /** All matches in document order. */
  all(selector: Selector, within?: HtmlElement): HtmlElement[];
  /** Visible text: white space folded, `<br>` and blocks separated by blanks, scripts and styles left out. */
  textOf(element: HtmlElement): string;
  /** Exactly as written, scripts included: for `<textarea>`, `<pre>` and data in `<script>`. */
  rawTextOf(element: HtmlElement): string;
  /** An attribute with entities decoded; undefined if the element has none of that name. */
  attr(element: HtmlElement, name: string): string | undefined;
  /** All its attributes, entities decoded, in the order of the page. */
  attributesOf(element: HtmlElement): readonly (readonly [name: string, value: string])[];
  /** The element's URL: its `href`, `src` or the like. In XML also its text, as in `<link>` of RSS. */
  linkOf(element: HtmlElement): string | undefined;
  /** Where its start tag begins in the text of the page. */
  offsetOf(element: HtmlElement): number;
  /** The source between its tags. For XML without child elements: its text, which in feeds is quoted HTML. */
  htmlOf(element: HtmlElement): string;
  /** Its child elements. */
  childrenOf(element: HtmlElement): HtmlElement[];
  /** Its parent element; undefined at the top of the page. */
  parentOf(element: HtmlElement): HtmlElement | undefined;
  /**
   * The form of a control without a `form` attribute: the form whose tags surround it in the source, as in
   * `<table><form><tr><td><input>`, where a browser's tree closes the form at once; else the form around it.
   */
  formOf(control: HtmlElement): HtmlElement | undefined;
}

/** How elements are read differs between HTML and XML. */
export interface ElementReading<Element extends TreeElement = TreeElement> {
  readonly textOf: (element: Element) => string;
  /** `source` is the text between its tags. */
  readonly htmlOf: (element: Element, source: string) => string;
  readonly attr: (element: Element, name: string) => string | undefined;
  readonly linkOf: (element: Element) => string | undefined;
}

const htmlReading: ElementReading = {
  textOf: foldedText,
  htmlOf: (_element, source) => source,
  attr: (element, name) => element.attribute(name),
  linkOf: (element) => element.attribute(linkAttributeOf(element.tag)),
};

/** Never throws: any text is a page. Nothing is parsed before the first query. */
export const parseHtml = (text: string): HtmlDocument => openDocument(text, buildTree, htmlReading);

/** `reading` is for the elements that `build` creates. */
export function openDocument(
  text: string,
  build: (text: string) => HtmlTree,
  reading: ElementReading<never>,
): HtmlDocument {
  let built: HtmlTree | undefined;
  const tree = (): HtmlTree => (built ??= build(text));
  const { textOf, htmlOf, attr, linkOf } = reading as ElementReading;

  return {
    get isParsed() {
      return built !== undefined;
    },
    first(selector, within) {
      let found: TreeElement | undefined;
      searchOf(selector)(tree(), within === undefined ? tree().root : inTree(within), (element) => {
        found = element;
        return false;
      });
      return found;
    },
    all(selector, within) {
      const found: TreeElement[] = [];
      searchOf(selector)(tree(), within === undefined ? tree().root : inTree(within), (element) => {
        found.push(element);
        return true;
      });
      return found;
    },
    textOf: (element) => textOf(inTree(element)),
    rawTextOf: (element) => plainText(inTree(element)),
    attr: (element, name) => attr(inTree(element), name),
    attributesOf: (element) => inTree(element).attributes,
    linkOf: (element) => linkOf(inTree(element)),
    offsetOf: (element) => inTree(element).at,
    htmlOf(element) {
      const { inside, insideEnd } = inTree(element);
      return htmlOf(inTree(element), text.slice(inside, insideEnd));
    },
    childrenOf: (element) => inTree(element).children.filter((child) => typeof child !== "string"),
    parentOf(element) {
      const { parent } = inTree(element);
      return parent === null || parent.parent === null ? undefined : parent;
    },
    formOf(control) {
      const { form, parent } = inTree(control);
      if (form !== undefined) return form;
      let around = parent;
      while (around !== null && around.tag !== "form") around = around.parent;
      return around ?? undefined;
    },
  };
}

/** Callers see only an element's tag. */
function inTree(element: HtmlElement): TreeElement {
  if (element instanceof TreeElement) return element;
  throw new TypeError("this element does not come from a document");
}
