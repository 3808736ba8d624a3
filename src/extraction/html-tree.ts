import { decodeEntities, foldBreaks, takeCodes } from "./scan/markup.ts";
import { TagAttributes } from "./scan/tag-attributes.ts";

/** Numbers for each piece: where it begins and where it ends. */
const SIZE = 2;

/** Where the pieces of a page's text are, in the order of the page; strings are made only when asked for. */
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
    // Negative: without entities.
    this.#places[at + 1] = hasEntities ? to : ~to;
  }

  piece(index: number): string {
    const from = this.#places[index * SIZE] ?? 0;
    const to = this.#places[index * SIZE + 1] ?? 0;
    return to < 0 ? foldBreaks(this.#text.slice(from, ~to)) : decodeEntities(this.#text, from, to, "text");
  }
}

/** What the elements of one scanned page share. */
interface PageParts {
  readonly elements: readonly TreeElement[];
  readonly attributes: TagAttributes;
  readonly texts: TextPlaces;
}

const noParts: PageParts = {
  elements: [],
  attributes: new TagAttributes("", takeCodes("")),
  texts: new TextPlaces(""),
};

/**
 * An element of a page or, without a parent, the page itself. Its attributes and texts stay in the text of the page until they are
 * asked for: pages have many, and few are read.
 */
export class TreeElement {
  readonly tag: string;
  /** As selectors see it, ignoring case: `lineargradient` for SVG's `linearGradient`. */
  readonly name: string;
  readonly parent: TreeElement | null;
  /** Its place in `HtmlTree.elements`; -1 for the page itself. */
  index = -1;
  /** Where its subtree ends in `HtmlTree.elements`: one past its last descendant. */
  end = 0;
  /** Where its start tag begins in the text of the page, and where its content begins and ends. */
  at = 0;
  inside = 0;
  insideEnd = 0;
  /** The content of an HTML template is not part of the page. SVG has elements of that name too. */
  isTemplate = false;
  /** The form it belongs to by its place in the source, which need not be around it: see `HtmlDocument.formOf`. */
  form: TreeElement | undefined;
  /** The pieces of text in its subtree: from this one up to `textEnd`. */
  readonly textFrom: number;
  textEnd = 0;
  readonly #parts: PageParts;
  readonly #first: number;
  readonly #end: number;
  #children: (TreeElement | string)[] | undefined;

  /** Takes the attributes of the tag that was read last. */
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

  get attributes(): [name: string, value: string][] {
    return this.#parts.attributes.list(this.#first, this.#end);
  }

  /** Elements, and between them text with its entities decoded, in pieces. */
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

/** An element whose attributes and content are already parsed. */
export class ParsedElement extends TreeElement {
  readonly content: (TreeElement | string)[] = [];
  readonly #attributes: [name: string, value: string][];

  constructor(
    tag: string,
    parent: TreeElement | null,
    attributes: [name: string, value: string][] = [],
    name = tag,
  ) {
    super(tag, parent, noParts, name);
    this.#attributes = attributes;
  }

  override attribute(name: string): string | undefined {
    return this.#attributes.find(([own]) => own === name)?.[1];
  }

  override get attributes(): [name: string, value: string][] {
    return this.#attributes;
  }

  override get children(): (TreeElement | string)[] {
    return this.content;
  }
}

/** Comments, doctypes and sibling links are left out: no selector needs them, and building is a third faster. */
export interface HtmlTree {
  readonly root: TreeElement;
  /** Every element in document order, so that a subtree is the range from `index` to `end`. */
  readonly elements: readonly TreeElement[];
  /** Elements by id in document order; pages do repeat ids. */
  readonly byId: ReadonlyMap<string, readonly TreeElement[]>;
  readonly hasTemplates: boolean;
  /** Names are case-sensitive, and selectors are compiled separately. */
  readonly isXml: boolean;
}

/** The elements that forms send. */
export const isControl = (tag: string): boolean =>
  tag === "input" || tag === "select" || tag === "textarea" || tag === "button";

/** Collects the elements of a page in document order. */
export class TreeBuilder<E extends TreeElement> implements HtmlTree {
  readonly root: E;
  readonly elements: E[];
  readonly isXml: boolean;
  readonly byId = new Map<string, E[]>();
  hasTemplates = false;

  constructor(root: E, { elements = [], isXml = false }: { elements?: E[]; isXml?: boolean } = {}) {
    this.root = root;
    this.elements = elements;
    this.isXml = isXml;
  }

  add(element: E, at: number, inside: number): void {
    element.at = at;
    element.inside = inside;
    element.index = this.elements.length;
    this.elements.push(element);
    const id = element.attribute("id");
    if (id === undefined) return;
    const sameId = this.byId.get(id);
    if (sameId === undefined) this.byId.set(id, [element]);
    else sameId.push(element);
  }

  /** A declared shadow root is shown: it is part of the page. */
  markTemplate(element: E): void {
    if (element.attribute("shadowrootmode") !== undefined) return;
    element.isTemplate = true;
    this.hasTemplates = true;
  }

  /** All its descendants have been added. */
  end(element: E, insideEnd: number): void {
    element.end = this.elements.length;
    element.insideEnd = Math.max(insideEnd, element.inside);
  }
}
