import { createRequire } from "node:module";
import type { DefaultTreeAdapterTypes } from "parse5";
import {
  type HtmlTree,
  isControl,
  ParsedElement,
  TextPlaces,
  TreeBuilder,
  TreeElement,
} from "./html-tree.ts";
import { HtmlScanner } from "./scan/html-scanner.ts";
import { asciiLowerCase } from "./scan/markup.ts";
import type { TagKind } from "./scan/tag-kind.ts";
import { mostElements, type ScanOptions, type ScanSink } from "./scan/tree-state.ts";

/** The tree that a browser builds of a page: in one pass if that is enough, else by parse5. A page whose repair would not end gets none. */
export function buildTree(text: string): HtmlTree {
  return scanTree(text) ?? repairTree(text) ?? new ScannedTree(text, { isLenient: true }).tree;
}

/** Undefined for a page that needs repair. */
export function scanTree(text: string, options: ScanOptions = {}): HtmlTree | undefined {
  const { tree, scanner } = new ScannedTree(text, options);
  if (scanner.reason === undefined) return tree;
  return scanner.lateBody !== undefined && options.lateBody === undefined
    ? scanTree(text, { lateBody: scanner.lateBody })
    : undefined;
}

class ScannedTree implements ScanSink {
  readonly tree: TreeBuilder<TreeElement>;
  readonly scanner: HtmlScanner;
  readonly #parts;
  #open: TreeElement;
  #form: TreeElement | undefined;

  constructor(text: string, options: ScanOptions) {
    this.scanner = new HtmlScanner(text, this, options);
    const elements: TreeElement[] = [];
    this.#parts = { elements, attributes: this.scanner.attributes, texts: new TextPlaces(text) };
    this.#open = new TreeElement("", null, this.#parts);
    this.tree = new TreeBuilder(this.#open, { elements });
    this.scanner.run();
    this.#end(this.tree.root, text.length);
  }

  opens(kind: TagKind, at: number, inside: number): void {
    const element = new TreeElement(kind.name, this.#open, this.#parts, kind.lower);
    this.tree.add(element, at, inside);
    this.#open = element;
    if (kind.role === "template") this.tree.markTemplate(element);
    if (kind.name === "form" && !this.scanner.isInTemplate) this.#form = element;
    else if (isControl(kind.name) && this.scanner.hasForm) element.form = this.#form;
  }

  text(from: number, to: number, hasEntities: boolean): void {
    this.#parts.texts.add(from, to, hasEntities);
  }

  closes(_kind: TagKind, at: number): void {
    this.#end(this.#open, at);
    this.#open = this.#open.parent ?? this.tree.root;
  }

  #end(element: TreeElement, at: number): void {
    element.textEnd = this.#parts.texts.count;
    this.tree.end(element, at);
  }
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

class TooManyElements extends Error {}

let library: typeof import("parse5") | undefined;

/** Loaded by the first page that needs it. Most jobs have none. */
const parse5 = (): typeof import("parse5") =>
  (library ??= createRequire(import.meta.url)("parse5") as typeof import("parse5"));

/** The tree as parse5 builds it, for pages in which elements must be moved or changed. Undefined if that would not end. */
export function repairTree(text: string): HtmlTree | undefined {
  const { defaultTreeAdapter, parse } = parse5();
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
    return new RepairedTree(page.childNodes, text.length, forms).tree;
  } catch (error) {
    if (error instanceof TooManyElements) return undefined;
    throw error;
  }
}

const contentOf = (node: Element): readonly Node[] =>
  node.nodeName === "template" && "content" in node
    ? (node as DefaultTreeAdapterTypes.Template).content.childNodes
    : node.childNodes;

const attributesOf = ({ attrs }: Element): [name: string, value: string][] =>
  attrs.map(({ name, prefix, value }) => [
    asciiLowerCase(prefix === undefined || prefix === "" ? name : `${prefix}:${name}`),
    value,
  ]);

interface OpenNode {
  readonly element: ParsedElement;
  readonly location: Element["sourceCodeLocation"];
  readonly children: readonly Node[];
  next: number;
}

class RepairedTree {
  readonly tree = new TreeBuilder(new ParsedElement("", null));
  /** Where start tags begin that already have an element; a second element was opened again. */
  readonly #tags = new Set<number>();
  /** Where the last node with a location began or ended: elements without a location are placed there. */
  #place = 0;
  readonly #seen = new Map<Element, ParsedElement>();

  /** Loops, since pages nest without limit. */
  constructor(children: readonly Node[], length: number, forms: ReadonlyMap<Element, Element>) {
    const { root } = this.tree;
    const open: OpenNode[] = [{ element: root, location: undefined, children, next: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const node = top.children[top.next++];
      if (node === undefined) {
        this.#end(top);
        open.pop();
      } else if ("value" in node) {
        top.element.content.push(node.value);
        this.#place = node.sourceCodeLocation?.endOffset ?? this.#place;
      } else if ("tagName" in node) open.push(this.#open(node, top.element));
    }
    for (const [control, form] of forms) {
      const element = this.#seen.get(control);
      if (element !== undefined) element.form = this.#seen.get(form);
    }
    root.insideEnd = length;
  }

  #open(node: Element, parent: ParsedElement): OpenNode {
    const { tagName, sourceCodeLocation: location } = node;
    const element = new ParsedElement(tagName, parent, attributesOf(node), asciiLowerCase(tagName));
    const tag = location?.startTag ?? location;
    let inside = tag?.endOffset ?? this.#place;
    if (tag != null) {
      if (this.#tags.has(tag.startOffset)) inside = Math.max(inside, this.#place);
      else this.#place = inside;
      this.#tags.add(tag.startOffset);
    }
    this.tree.add(element, tag?.startOffset ?? this.#place, inside);
    parent.content.push(element);
    if ("content" in node) this.tree.markTemplate(element);
    if (tagName === "form" || isControl(tagName)) this.#seen.set(node, element);
    return { element, location, children: contentOf(node), next: 0 };
  }

  #end({ element, location }: OpenNode): void {
    const end = location?.endTag?.startOffset ?? location?.endOffset ?? this.#place;
    this.tree.end(element, end);
    this.#place = location?.endOffset ?? this.#place;
  }
}
