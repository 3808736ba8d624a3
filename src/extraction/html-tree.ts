import { Parser } from "htmlparser2";

/** An element of a page, or (with no parent) the page itself. Text is kept as strings between the elements, in pieces. */
export class TreeElement {
  readonly tag: string;
  readonly parent: TreeElement | null;
  /** Names and values in turn: pages have many attributes, and few are ever asked for. */
  readonly attributes: string[] = [];
  readonly children: (TreeElement | string)[] = [];
  /** Its place in `HtmlTree.elements`; the page itself has -1. */
  index = -1;
  /** Where its subtree ends in `HtmlTree.elements`: one past its last descendant. */
  end = 0;

  constructor(tag: string, parent: TreeElement | null) {
    this.tag = tag;
    this.parent = parent;
  }

  attribute(name: string): string | undefined {
    const { attributes } = this;
    for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return attributes[at + 1];
    return undefined;
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
  const builder = new TreeBuilder();
  new TreeParser(builder).end(text);
  builder.root.end = builder.elements.length;
  return builder;
}

/** Tells the builder where a tag ends: without it, the attributes of a tag that the parser ignores would go astray. */
class TreeParser extends Parser {
  readonly #builder: TreeBuilder;
  constructor(builder: TreeBuilder) {
    super(builder);
    this.#builder = builder;
  }
  override onopentagend(endIndex: number): void {
    this.#builder.tagEnds();
    super.onopentagend(endIndex);
  }
  override onend(): void {
    this.#builder.pageEnds();
    super.onend();
  }
}

class TreeBuilder implements HtmlTree {
  readonly root = new TreeElement("", null);
  readonly elements: TreeElement[] = [];
  readonly byId = new Map<string, TreeElement[]>();
  hasTemplates = false;
  #open = this.root;
  /** A tag whose `>` has not come yet: not part of the tree so far. */
  #begun: TreeElement | null = null;

  onopentagname(tag: string): void {
    this.#begun = new TreeElement(tag, this.#open);
  }

  onattribute(name: string, value: string): void {
    this.#begun?.attributes.push(name, value);
  }

  tagEnds(): void {
    const element = this.#begun;
    if (element === null) return;
    this.#begun = null;
    element.index = this.elements.length;
    this.elements.push(element);
    this.#open.children.push(element);
    this.#open = element;
    if (element.tag === "template") this.hasTemplates = true;
    const id = element.attribute("id");
    if (id === undefined) return;
    const sameId = this.byId.get(id);
    if (sameId === undefined) this.byId.set(id, [element]);
    else sameId.push(element);
  }

  ontext(data: string): void {
    this.#open.children.push(data);
  }

  onclosetag(): void {
    this.tagEnds();
    this.#open.end = this.elements.length;
    this.#open = this.#open.parent ?? this.root;
  }

  pageEnds(): void {
    this.#begun = null;
  }
}
