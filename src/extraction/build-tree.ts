import { defaultTreeAdapter, type DefaultTreeAdapterTypes, parse } from "parse5";
import {
  type HtmlTree,
  isControl,
  type PageAttributes,
  type PageTexts,
  TextPlaces,
  type TreeElement,
  TreeParts,
} from "./html-tree.ts";
import { HtmlScanner } from "./scan/html-scanner.ts";
import { asciiLowerCase } from "./scan/markup.ts";
import type { TagKind } from "./scan/tag-kind.ts";
import { mostElements, type ScanOptions, type ScanSink } from "./scan/tree-state.ts";

/**
 * The tree that a browser builds of a page: in one pass where that is enough, else by parse5. A page whose repair would have no end
 * is read without any.
 */
export function buildTree(text: string): HtmlTree {
  return scanTree(text) ?? repairTree(text) ?? new ScannedTree(text, { isLenient: true }).parts;
}

/** The tree of a page that needs no repair; undefined for one that does. */
export function scanTree(text: string, options: ScanOptions = {}): HtmlTree | undefined {
  const { parts, scanner } = new ScannedTree(text, options);
  if (scanner.reason === undefined) return parts;
  return scanner.lateBody !== undefined && options.lateBody === undefined
    ? scanTree(text, { lateBody: scanner.lateBody })
    : undefined;
}

class ScannedTree implements ScanSink {
  readonly parts: TreeParts;
  readonly scanner: HtmlScanner;
  readonly #texts: TextPlaces;
  #open: TreeElement;
  #form: TreeElement | undefined;

  constructor(text: string, options: ScanOptions) {
    this.scanner = new HtmlScanner(text, this, options);
    this.#texts = new TextPlaces(text);
    this.parts = new TreeParts(this.scanner.attributes, this.#texts);
    this.#open = this.parts.root;
    this.scanner.run();
    this.parts.end(this.parts.root, text.length);
  }

  opens(kind: TagKind, at: number, inside: number): void {
    const element = this.parts.add(kind.name, kind.lower, this.#open);
    element.at = at;
    element.inside = inside;
    this.#open = element;
    if (kind.role === "template") this.parts.markTemplate(element);
    if (kind.name === "form" && !this.scanner.isInTemplate) this.#form = element;
    else if (isControl(kind.name) && this.scanner.hasForm) element.form = this.#form;
  }

  text(from: number, to: number, hasEntities: boolean): void {
    this.#texts.add(from, to, hasEntities);
  }

  closes(_kind: TagKind, at: number): void {
    this.parts.end(this.#open, at);
    this.#open = this.#open.parent ?? this.parts.root;
  }
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;
type Location = Element["sourceCodeLocation"];

class TooManyElements extends Error {}

/** The tree as parse5 builds it: for pages in which elements must be moved or changed. Undefined where that would have no end. */
export function repairTree(text: string): HtmlTree | undefined {
  let rest = mostElements(text);
  const forms = new Map<Element, Element>();
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(tag, namespace, attributes) {
      if (--rest < 0) throw new TooManyElements();
      return defaultTreeAdapter.createElement(tag, namespace, attributes);
    },
    onElementCreated(element, { formElement, isInTemplate }) {
      if (formElement !== null && !isInTemplate && isControl(element.tagName))
        forms.set(element, formElement);
    },
  };
  try {
    const page = parse(text, { treeAdapter, scriptingEnabled: false, sourceCodeLocationInfo: true });
    return new RepairedTree(text.length, forms).build(page.childNodes);
  } catch (error) {
    if (error instanceof TooManyElements) return undefined;
    throw error;
  }
}

class ReadAttributes implements PageAttributes {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  first = 0;

  get end(): number {
    return this.#names.length;
  }

  read({ attrs }: Element): void {
    this.first = this.end;
    for (const { name, prefix, value } of attrs) {
      const isPrefixed = prefix !== undefined && prefix !== "";
      this.#names.push(asciiLowerCase(isPrefixed ? `${prefix}:${name}` : name));
      this.#values.push(value);
    }
  }

  find(first: number, end: number, name: string): number {
    for (let place = first; place < end; place++) if (this.#names[place] === name) return place;
    return -1;
  }

  valueAt(place: number): string {
    return this.#values[place] ?? "";
  }

  list(first: number, end: number): [string, string][] {
    return this.#names.slice(first, end).map((name, at) => [name, this.valueAt(first + at)]);
  }
}

class ReadTexts implements PageTexts {
  readonly #pieces: string[] = [];

  get count(): number {
    return this.#pieces.length;
  }

  add(text: string): void {
    this.#pieces.push(text);
  }

  piece(index: number): string {
    return this.#pieces[index] ?? "";
  }
}

const contentOf = (node: Element): readonly Node[] =>
  node.nodeName === "template" && "content" in node
    ? defaultTreeAdapter.getTemplateContent(node as DefaultTreeAdapterTypes.Template).childNodes
    : node.childNodes;

interface OpenNode {
  readonly element: TreeElement;
  readonly location: Location | undefined;
  readonly children: readonly Node[];
  next: number;
}

class RepairedTree {
  readonly #attributes = new ReadAttributes();
  readonly #texts = new ReadTexts();
  readonly #parts = new TreeParts(this.#attributes, this.#texts);
  readonly #length: number;
  /** Where start tags begin that have an element already; one that has two was opened again. */
  readonly #tags = new Set<number>();
  /** Where the last node with a place of its own began or ended: elements without one stand there. */
  #place = 0;

  readonly #forms: ReadonlyMap<Element, Element>;
  readonly #seen = new Map<Element, TreeElement>();

  constructor(length: number, forms: ReadonlyMap<Element, Element>) {
    this.#length = length;
    this.#forms = forms;
  }

  /** Loops, since pages nest without limit. */
  build(children: readonly Node[]): HtmlTree {
    const parts = this.#parts;
    const open: OpenNode[] = [{ element: parts.root, location: undefined, children, next: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const node = top.children[top.next++];
      if (node === undefined) {
        this.#end(top);
        open.pop();
      } else if (defaultTreeAdapter.isTextNode(node)) {
        this.#place = node.sourceCodeLocation?.startOffset ?? this.#place;
        this.#texts.add(node.value);
        this.#place = node.sourceCodeLocation?.endOffset ?? this.#place;
      } else if (defaultTreeAdapter.isElementNode(node)) open.push(this.#open(node, top.element));
    }
    for (const [control, form] of this.#forms) {
      const element = this.#seen.get(control);
      if (element !== undefined) element.form = this.#seen.get(form);
    }
    parts.root.insideEnd = this.#length;
    return parts;
  }

  #open(node: Element, parent: TreeElement): OpenNode {
    this.#attributes.read(node);
    const element = this.#parts.add(node.tagName, asciiLowerCase(node.tagName), parent);
    if ("content" in node) this.#parts.markTemplate(element);
    if (node.tagName === "form" || isControl(node.tagName)) this.#seen.set(node, element);
    const location = node.sourceCodeLocation;
    const tag = location?.startTag ?? location;
    element.at = tag?.startOffset ?? this.#place;
    element.inside = tag?.endOffset ?? this.#place;
    if (tag != null) {
      if (this.#tags.has(tag.startOffset)) element.inside = Math.max(element.inside, this.#place);
      else this.#place = element.inside;
      this.#tags.add(tag.startOffset);
    }
    return { element, location, children: contentOf(node), next: 0 };
  }

  #end({ element, location }: OpenNode): void {
    const end = location?.endTag?.startOffset ?? location?.endOffset ?? this.#place;
    this.#parts.end(element, end);
    this.#place = location?.endOffset ?? this.#place;
  }
}
