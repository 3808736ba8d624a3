import { HtmlScanner } from "./scan/html-scanner.ts";
import type { ScanSink } from "./scan/html-scanner.ts";
import { TagAttributes } from "./scan/tag-attributes.ts";
import type { TagKind } from "./scan/tag-kind.ts";
import { TextPlaces } from "./text-places.ts";

/** What the elements of one page share. */
interface PageParts {
  readonly elements: readonly TreeElement[];
  readonly attributes: TagAttributes;
  readonly texts: TextPlaces;
}

const noParts: PageParts = { elements: [], attributes: new TagAttributes(""), texts: new TextPlaces("") };

/** An element of a page, or (with no parent) the page itself. */
export class TreeElement {
  readonly tag: string;
  readonly parent: TreeElement | null;
  /** Its place in `HtmlTree.elements`; the page itself has -1. */
  index = -1;
  /** Where its subtree ends in `HtmlTree.elements`: one past its last descendant. */
  end = 0;
  /** Where its start tag begins in the text of the page, and where its content begins and ends. */
  at = 0;
  inside = 0;
  insideEnd = 0;
  /** The pieces of text in its subtree: from this one up to `textEnd`. */
  readonly textFrom: number;
  textEnd = 0;
  // Pages have many attributes and texts, and few are ever asked for: they stay in the text of the page until then.
  readonly #parts: PageParts;
  readonly #first: number;
  readonly #end: number;
  #children: (TreeElement | string)[] | undefined;

  /** With the attributes of the tag that was read last. */
  constructor(tag: string, parent: TreeElement | null, parts = noParts) {
    this.tag = tag;
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

export function buildTree(text: string): HtmlTree {
  const builder = new TreeBuilder(text);
  builder.build();
  return builder;
}

class TreeBuilder implements HtmlTree, ScanSink, PageParts {
  readonly root: TreeElement;
  readonly elements: TreeElement[] = [];
  readonly attributes: TagAttributes;
  readonly texts: TextPlaces;
  readonly byId = new Map<string, TreeElement[]>();
  hasTemplates = false;
  #open: TreeElement;
  readonly #text: string;
  readonly #scanner: HtmlScanner;

  constructor(text: string) {
    this.#text = text;
    this.#scanner = new HtmlScanner(text, this);
    this.attributes = this.#scanner.attributes;
    this.texts = new TextPlaces(text);
    this.root = new TreeElement("", null, this);
    this.#open = this.root;
  }

  build(): void {
    this.#scanner.run();
    this.root.end = this.elements.length;
    this.root.textEnd = this.texts.count;
    this.root.insideEnd = this.#text.length;
  }

  opens(kind: TagKind, at: number, inside: number): void {
    const element = new TreeElement(kind.name, this.#open, this);
    element.at = at;
    element.inside = inside;
    element.index = this.elements.length;
    this.elements.push(element);
    this.#open = element;
    if (kind.name === "template") this.hasTemplates = true;
    const id = element.attribute("id");
    if (id === undefined) return;
    const sameId = this.byId.get(id);
    if (sameId === undefined) this.byId.set(id, [element]);
    else sameId.push(element);
  }

  text(from: number, to: number, hasEntities: boolean): void {
    this.texts.add(from, to, hasEntities);
  }

  closes(_kind: TagKind, at: number): void {
    this.#open.end = this.elements.length;
    this.#open.textEnd = this.texts.count;
    this.#open.insideEnd = at;
    this.#open = this.#open.parent ?? this.root;
  }
}
