import { buildTree } from "./build-tree.ts";
import { foldedText } from "./folded-text.ts";
import { type HtmlTree, TreeElement } from "./html-tree.ts";
import { linkAttributeOf } from "./scan/page-query.ts";
import { plainText, searchOf, type Selector } from "./selector.ts";

export interface HtmlElement {
  /** Lower case, as in `td`; of XML as written, as in `dc:creator`. */
  readonly tag: string;
}

/**
 * A parsed page, and all that the rest of Sluice knows about parsing. With `within`, selectors are relative to that
 * element: they match below it only and may begin with a combinator (`> td`, `+ tr .note`).
 */
export interface HtmlDocument {
  /** A question has been asked already, and the next ones cost little. */
  readonly isParsed: boolean;
  /** The first match in the order of the page, or undefined. */
  first(selector: Selector, within?: HtmlElement): HtmlElement | undefined;
  /** All matches in the order of the page. */
  all(selector: Selector, within?: HtmlElement): HtmlElement[];
  /** As a person reads it: white space folded, `<br>` and blocks apart, scripts and styles left out. */
  textOf(element: HtmlElement): string;
  /** Exactly as written, scripts included: for `<textarea>`, `<pre>` and data in `<script>`. */
  rawTextOf(element: HtmlElement): string;
  /** An attribute as written, entities decoded; undefined where the element has none of that name. */
  attr(element: HtmlElement, name: string): string | undefined;
  /** The address that it names: its `href`, `src` or the like. Of XML also its text, as `<link>` in RSS has it. */
  linkOf(element: HtmlElement): string | undefined;
  /** Where its start tag begins in the text of the page. */
  offsetOf(element: HtmlElement): number;
  /** What stands between its tags, exactly as in the source. Of XML without elements in it: its text, the HTML that a feed quotes. */
  htmlOf(element: HtmlElement): string;
  /** The elements right below it. */
  childrenOf(element: HtmlElement): HtmlElement[];
  /** The element around it; undefined at the top of the page. */
  parentOf(element: HtmlElement): HtmlElement | undefined;
  /**
   * The form that a control belongs to without a `form` attribute: the one whose tags it stands between in the source, as in
   * `<table><form><tr><td><input>`, where a browser's tree has the form end at once; else the one around it.
   */
  formOf(control: HtmlElement): HtmlElement | undefined;
}

/** What differs between HTML and XML when an element is read. */
export interface ElementReading<Element extends TreeElement = TreeElement> {
  readonly textOf: (element: Element) => string;
  /** `source` is what stands between its tags. */
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

/** Never throws: every text is some page. Nothing is parsed until the first question is asked. */
export const parseHtml = (text: string): HtmlDocument => openDocument(text, buildTree, htmlReading);

/** `reading` is for the elements that `build` makes. */
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

/** Callers see no more of an element than its tag. */
function inTree(element: HtmlElement): TreeElement {
  if (element instanceof TreeElement) return element;
  throw new TypeError("this element is of no document");
}
