import { compile, selectAll } from "css-select";
import { isTag, isText } from "domhandler";
import type { AnyNode, Document, Element } from "domhandler";
import { filter } from "domutils";
import { parseDocument } from "htmlparser2";
import { addOutline, byName } from "./outline.ts";
import type { Outline } from "./outline.ts";
import { APART, HIDDEN } from "../../folded-text.ts";

/** A page as htmlparser2 and css-select see it: the measure that the scanner and the matcher are held against. */
export class Reference {
  readonly #dom: Document;
  readonly #elements: readonly Element[];
  readonly #places: ReadonlyMap<Element, number>;

  constructor(page: string) {
    this.#dom = parseDocument(page);
    this.#elements = filter(isTag, this.#dom.children).filter(isTag);
    this.#places = new Map(this.#elements.map((element, at) => [element, at]));
  }

  /** The places in document order of the elements found; within that element, where one is given. */
  find(css: string, within?: number): number[] {
    const scope = within === undefined ? this.#dom : this.#elements[within];
    if (scope === undefined) return [];
    // Compiled with no scope, `:scope` is `:root`, as it is in a browser; css-select would take the document for it.
    const query = within === undefined ? compile<AnyNode, Element>(css) : css;
    return selectAll<AnyNode, Element>(query, scope).map((element) => this.#places.get(element) ?? -1);
  }

  isOutermost(at: number): boolean {
    return this.#elements[at]?.parent === this.#dom;
  }

  attribute(at: number, name: string): string | undefined {
    const { attribs = {} } = this.#elements[at] ?? {};
    return Object.hasOwn(attribs, name) ? attribs[name]?.replace(/\s+/g, " ").trim() : undefined;
  }

  text(at: number): string {
    const read = (node: AnyNode): string => {
      if (isText(node)) return node.data;
      if (!isTag(node) || HIDDEN.has(node.name)) return "";
      const inside = node.children.map(read).join("");
      return APART.has(node.name) ? ` ${inside} ` : inside;
    };
    const texts = this.#elements[at]?.children.map(read) ?? [];
    return texts.join("").replace(/\s+/g, " ").trim();
  }

  outline(): Outline[] {
    return this.#dom.children.flatMap(outlined).reduce(addOutline, []);
  }
}

const outlined = (node: AnyNode): Outline[] => {
  if (isText(node)) return [node.data];
  if (!isTag(node)) return [];
  const attributes = Object.entries(node.attribs).sort(byName);
  return [[node.name, attributes, node.children.flatMap(outlined).reduce(addOutline, [])]];
};
