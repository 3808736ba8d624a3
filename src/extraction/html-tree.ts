import { decodeEntities } from "./scan/decode-entities.ts";
import { HtmlScanner } from "./scan/html-scanner.ts";
import type { ScanSink } from "./scan/html-scanner.ts";
import { TagAttributes } from "./scan/tag-attributes.ts";
import type { TagKind } from "./scan/tag-kind.ts";

const noAttributes = new TagAttributes("");

/** An element of a page, or (with no parent) the page itself. Text is kept as strings between the elements, in pieces. */
export class TreeElement {
  readonly tag: string;
  readonly parent: TreeElement | null;
  readonly children: (TreeElement | string)[] = [];
  /** Its place in `HtmlTree.elements`; the page itself has -1. */
  index = -1;
  /** Where its subtree ends in `HtmlTree.elements`: one past its last descendant. */
  end = 0;
  /** Where its start tag begins in the text of the page, and where its content begins and ends. */
  at = 0;
  inside = 0;
  insideEnd = 0;
  // Pages have many attributes, and few are ever asked for: they stay in the text of the page until then.
  readonly #attributes: TagAttributes;
  readonly #first: number;
  readonly #end: number;

  /** With the attributes of the tag that was read last. */
  constructor(tag: string, parent: TreeElement | null, attributes = noAttributes) {
    this.tag = tag;
    this.parent = parent;
    this.#attributes = attributes;
    this.#first = attributes.first;
    this.#end = attributes.end;
  }

  attribute(name: string): string | undefined {
    const place = this.#attributes.find(this.#first, this.#end, name);
    return place === -1 ? undefined : this.#attributes.valueAt(place);
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
}

export function buildTree(text: string): HtmlTree {
  const builder = new TreeBuilder(text);
  builder.build();
  return builder;
}

class TreeBuilder implements HtmlTree, ScanSink {
  readonly root = new TreeElement("", null);
  readonly elements: TreeElement[] = [];
  readonly byId = new Map<string, TreeElement[]>();
  hasTemplates = false;
  #open = this.root;
  readonly #text: string;
  readonly #scanner: HtmlScanner;

  constructor(text: string) {
    this.#text = text;
    this.#scanner = new HtmlScanner(text, this);
  }

  build(): void {
    this.#scanner.run();
    this.root.end = this.elements.length;
    this.root.insideEnd = this.#text.length;
  }

  opens(kind: TagKind, at: number, inside: number): void {
    const element = new TreeElement(kind.name, this.#open, this.#scanner.attributes);
    element.at = at;
    element.inside = inside;
    element.index = this.elements.length;
    this.elements.push(element);
    this.#open.children.push(element);
    this.#open = element;
    if (kind.name === "template") this.hasTemplates = true;
    const id = element.attribute("id");
    if (id === undefined) return;
    const sameId = this.byId.get(id);
    if (sameId === undefined) this.byId.set(id, [element]);
    else sameId.push(element);
  }

  text(from: number, to: number, hasEntities: boolean): void {
    this.#open.children.push(
      hasEntities ? decodeEntities(this.#text, from, to, "text") : this.#text.slice(from, to),
    );
  }

  closes(_kind: TagKind, at: number): void {
    this.#open.end = this.elements.length;
    this.#open.insideEnd = at;
    this.#open = this.#open.parent ?? this.root;
  }
}
