import { decodeEntities, foldBreaks, takeCodes } from "./scan/markup.ts";
import { TagAttributes } from "./scan/tag-attributes.ts";

/** Numbers for each piece: where it begins, and where it ends. */
const SIZE = 2;

/** Where the pieces of a page's text stand, in the order of the page; strings are made only of those that are asked for. */
export class TextPlaces {
  readonly #text: string;
  #places = new Int32Array(64 * SIZE);
  count = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add(from: number, to: number, hasEntities: boolean): void {
    const at = this.count++ * SIZE;
    if (at === this.#places.length) {
      const longer = new Int32Array(at * 2);
      longer.set(this.#places);
      this.#places = longer;
    }
    this.#places[at] = from;
    // Below zero: to be taken as it stands.
    this.#places[at + 1] = hasEntities ? to : ~to;
  }

  piece(index: number): string {
    const from = this.#places[index * SIZE] ?? 0;
    const to = this.#places[index * SIZE + 1] ?? 0;
    return to < 0 ? foldBreaks(this.#text.slice(from, ~to)) : decodeEntities(this.#text, from, to, "text");
  }
}

/** The attributes of all elements of a page, each under a number; those of one element are in a row. */
export interface PageAttributes {
  /** Those of the element that was read last. */
  readonly first: number;
  readonly end: number;
  /** Where the attribute is between two places, -1 for nowhere. */
  find(first: number, end: number, name: string): number;
  valueAt(place: number): string;
  list(first: number, end: number): [name: string, value: string][];
}

/** The pieces of a page's text, in the order of the page. */
export interface PageTexts {
  readonly count: number;
  piece(index: number): string;
}

/** What the elements of one page share. */
interface PageParts {
  readonly elements: readonly TreeElement[];
  readonly attributes: PageAttributes;
  readonly texts: PageTexts;
}

const noParts: PageParts = {
  elements: [],
  attributes: new TagAttributes("", takeCodes("")),
  texts: new TextPlaces(""),
};

/** An element of a page, or (with no parent) the page itself. */
export class TreeElement {
  readonly tag: string;
  /** As selectors see it, which know no case: `lineargradient` for SVG's `linearGradient`. */
  readonly name: string;
  readonly parent: TreeElement | null;
  /** Its place in `HtmlTree.elements`; the page itself has -1. */
  index = -1;
  /** Where its subtree ends in `HtmlTree.elements`: one past its last descendant. */
  end = 0;
  /** Where its start tag begins in the text of the page, and where its content begins and ends. */
  at = 0;
  inside = 0;
  insideEnd = 0;
  /** What is in a template of HTML is no part of the page; SVG has elements of that name too. */
  isTemplate = false;
  /** The form that it belongs to by its place in the source, which need not be around it: see `HtmlDocument.formOf`. */
  form: TreeElement | undefined;
  /** The pieces of text in its subtree: from this one up to `textEnd`. */
  readonly textFrom: number;
  textEnd = 0;
  // Pages have many attributes and texts, and few are ever asked for: they stay in the text of the page until then.
  readonly #parts: PageParts;
  readonly #first: number;
  readonly #end: number;
  #children: (TreeElement | string)[] | undefined;

  /** With the attributes of the tag that was read last. */
  constructor(tag: string, parent: TreeElement | null, parts = noParts, name = tag) {
    this.tag = tag;
    this.name = name;
    this.parent = parent;
    this.#parts = parts;
    this.#first = parts.attributes.first;
    this.#end = parts.attributes.end;
    this.textFrom = parts.texts.count;
  }

  attribute(name: string): string | undefined {
    const { attributes } = this.#parts;
    const place = attributes.find(this.#first, this.#end, name);
    return place === -1 ? undefined : attributes.valueAt(place);
  }

  /** Names in lower case, and values. */
  get attributes(): [name: string, value: string][] {
    return this.#parts.attributes.list(this.#first, this.#end);
  }

  /** Elements, and between them text as strings, in pieces. */
  get children(): (TreeElement | string)[] {
    return (this.#children ??= this.#collect());
  }

  #collect(): (TreeElement | string)[] {
    const { elements, texts } = this.#parts;
    const found: (TreeElement | string)[] = [];
    let text = this.textFrom;
    for (let at = this.index + 1; at < this.end;) {
      const child = elements[at];
      if (child === undefined) break;
      while (text < child.textFrom) found.push(texts.piece(text++));
      found.push(child);
      text = child.textEnd;
      at = child.end;
    }
    while (text < this.textEnd) found.push(texts.piece(text++));
    return found;
  }
}

/** Comments, doctypes and sibling links are left out: no selector can tell, and building is a third faster. */
export interface HtmlTree {
  readonly root: TreeElement;
  /** Every element in document order, so that a subtree is the range from `index` to `end`. */
  readonly elements: readonly TreeElement[];
  /** Elements by id in document order; pages do repeat ids. */
  readonly byId: ReadonlyMap<string, readonly TreeElement[]>;
  readonly hasTemplates: boolean;
  /** Names are compared as they are written, and selectors are compiled for it apart. */
  readonly isXml?: boolean;
}

/** The elements that forms send. */
export const isControl = (tag: string): boolean =>
  tag === "input" || tag === "select" || tag === "textarea" || tag === "button";

/** Gathers the elements of a page in document order. */
export class TreeParts implements HtmlTree {
  readonly root: TreeElement;
  readonly elements: TreeElement[] = [];
  readonly byId = new Map<string, TreeElement[]>();
  hasTemplates = false;
  readonly #parts: PageParts;

  constructor(attributes: PageAttributes, texts: PageTexts) {
    this.#parts = { elements: this.elements, attributes, texts };
    this.root = new TreeElement("", null, this.#parts);
  }

  /** With the attributes that were read last. */
  add(tag: string, name: string, parent: TreeElement): TreeElement {
    const element = new TreeElement(tag, parent, this.#parts, name);
    element.index = this.elements.length;
    this.elements.push(element);
    const id = element.attribute("id");
    if (id === undefined) return element;
    const sameId = this.byId.get(id);
    if (sameId === undefined) this.byId.set(id, [element]);
    else sameId.push(element);
    return element;
  }

  markTemplate(element: TreeElement): void {
    element.isTemplate = true;
    this.hasTemplates = true;
  }

  /** All that is in it has been added. */
  end(element: TreeElement, insideEnd: number): void {
    element.end = this.elements.length;
    element.textEnd = this.#parts.texts.count;
    element.insideEnd = Math.max(insideEnd, element.inside);
  }
}
