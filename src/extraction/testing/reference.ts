import { _compileUnsafe, type Options, selectAll } from "css-select";
import { defaultTreeAdapter as parse5, type DefaultTreeAdapterTypes, parse } from "parse5";
import { APART, HIDDEN } from "../folded-text.ts";
import { asciiLowerCase } from "../scan/markup.ts";
import { addOutline, byName, type Outline } from "./outline.ts";

type Node = DefaultTreeAdapterTypes.Node;
type ChildNode = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const isElement = (node: Node): node is Element => parse5.isElementNode(node);
const isTextNode = (node: Node): node is DefaultTreeAdapterTypes.TextNode => parse5.isTextNode(node);
const childrenOf = (node: Node): ChildNode[] => ("childNodes" in node ? node.childNodes : []);
/** What is in a template is not part of the page, but we read it. */
const contentOf = (node: Element): ChildNode[] =>
  "content" in node
    ? childrenOf(parse5.getTemplateContent(node as DefaultTreeAdapterTypes.Template))
    : node.childNodes;
const attributesOf = (element: Element): [name: string, value: string][] =>
  element.attrs.map(({ name, prefix, value }) => [
    asciiLowerCase(prefix === undefined || prefix === "" ? name : `${prefix}:${name}`),
    value,
  ]);
const textOf = (node: Node): string => {
  if (isTextNode(node)) return node.value;
  if (isElement(node) && node.tagName === "br") return "\n";
  return childrenOf(node).map(textOf).join("");
};

/** How css-select sees parse5's tree. Names have no case, neither of tags nor of attributes. */
const adapter: NonNullable<Options<Node, Element>["adapter"]> = {
  isTag: isElement,
  getName: (element) => asciiLowerCase(element.tagName),
  getAttributeValue: (element, name) => attributesOf(element).find(([own]) => own === name)?.[1],
  hasAttrib: (element, name) => attributesOf(element).some(([own]) => own === name),
  getChildren: childrenOf,
  getParent: (element) => {
    const { parentNode } = element;
    return parentNode !== null && isElement(parentNode) ? parentNode : null;
  },
  getSiblings: (node) =>
    "parentNode" in node && node.parentNode !== null ? childrenOf(node.parentNode) : [node],
  getText: textOf,
  removeSubsets: (nodes) => nodes,
};

/** A page as parse5 and css-select see it: the measure that the tree and the matcher are held against. */
export class Reference {
  readonly #document: DefaultTreeAdapterTypes.Document;
  /** In document order, those in templates too. */
  readonly #elements: Element[] = [];
  readonly #places = new Map<Element, number>();
  readonly #inTemplates = new Set<Element>();

  constructor(page: string) {
    this.#document = parse(page, { scriptingEnabled: false, sourceCodeLocationInfo: true });
    this.#collect(this.#document.childNodes);
  }

  #collect(nodes: readonly ChildNode[], isInTemplate = false): void {
    for (const node of nodes) {
      if (!isElement(node)) continue;
      this.#places.set(node, this.#elements.push(node) - 1);
      if (isInTemplate) this.#inTemplates.add(node);
      this.#collect(contentOf(node), isInTemplate || "content" in node);
    }
  }

  get length(): number {
    return this.#elements.length;
  }

  /** Where the start tag of an element begins; undefined for one that has none of its own. */
  offset(at: number): number | undefined {
    return this.#elements[at]?.sourceCodeLocation?.startTag?.startOffset;
  }

  /** The places in document order of the elements found; within that element, where one is given. */
  find(css: string, within?: number): number[] {
    if (within === undefined) {
      // Compiled with no scope, `:scope` is `:root`, as it is in a browser; css-select would take the document for it.
      const matches = _compileUnsafe<Node, Element>(css, { adapter });
      return [...this.#elements.keys()].filter((at) => {
        const element = this.#elements[at];
        return element !== undefined && !this.#inTemplates.has(element) && matches(element);
      });
    }
    const scope = this.#elements[within];
    if (scope === undefined) return [];
    return selectAll<Node, Element>(css, scope, { adapter }).map(
      (element) => this.#places.get(element) ?? -1,
    );
  }

  isOutermost(at: number): boolean {
    return this.#elements[at]?.parentNode === this.#document;
  }

  tag(at: number): string {
    return this.#elements[at]?.tagName ?? "";
  }

  attribute(at: number, name: string): string | undefined {
    const element = this.#elements[at];
    const value = element && attributesOf(element).find(([own]) => own === name)?.[1];
    return value?.replace(/\s+/g, " ").trim();
  }

  text(at: number): string {
    const read = (node: ChildNode): string => {
      if (isTextNode(node)) return node.value;
      if (!isElement(node) || HIDDEN.has(node.tagName)) return "";
      const inside = contentOf(node).map(read).join("");
      return APART.has(node.tagName) ? ` ${inside} ` : inside;
    };
    const element = this.#elements[at];
    const texts = element === undefined ? [] : contentOf(element).map(read);
    return texts.join("").replace(/\s+/g, " ").trim();
  }

  outline(): Outline[] {
    return this.#document.childNodes.flatMap(outlined).reduce(addOutline, []);
  }
}

const outlined = (node: ChildNode): Outline[] => {
  if (isTextNode(node)) return [node.value];
  if (!isElement(node)) return [];
  const attributes = attributesOf(node).sort(byName);
  return [[node.tagName, attributes, contentOf(node).flatMap(outlined).reduce(addOutline, [])]];
};
