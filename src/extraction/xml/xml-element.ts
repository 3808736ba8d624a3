import { APART, foldSpace, HIDDEN } from "../folded-text.ts";
import { TreeElement } from "../html-tree.ts";

const XHTML = "http://www.w3.org/1999/xhtml";

/** An element of an XML document. Its names are as written, prefix and case included. */
export class XmlElement extends TreeElement {
  /** Elements, and between them text with its entities decoded. */
  readonly content: (XmlElement | string)[] = [];
  /** In the namespace of XHTML: it is shown as HTML is. */
  readonly #isHtml: boolean;
  /** Names and values, in turn. */
  readonly #attributes: readonly string[];

  constructor(tag: string, parent: XmlElement | null, attributes: readonly string[] = []) {
    super(tag, parent);
    this.#attributes = attributes;
    const namespace = this.attribute("xmlns");
    this.#isHtml = namespace === undefined ? parent !== null && parent.#isHtml : namespace === XHTML;
  }

  override attribute(name: string): string | undefined {
    const attributes = this.#attributes;
    for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return attributes[at + 1];
    return undefined;
  }

  /** Fields ask in lower case, as HTML has it: then `isPermaLink` is found too. */
  attributeInAnyCase(name: string): string | undefined {
    const exact = this.attribute(name);
    if (exact !== undefined) return exact;
    const wanted = name.toLowerCase();
    const at = this.#attributes.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === wanted);
    return at < 0 ? undefined : this.#attributes[at + 1];
  }

  override get children(): (XmlElement | string)[] {
    return this.content;
  }

  /** White space folded. Where an element holds nothing but elements, their texts stand apart; so do blocks of XHTML. */
  get foldedText(): string {
    let text = "";
    const rest: (XmlElement | string)[] = [this];
    for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
      if (typeof node === "string") text += node;
      else if (node === this || !node.#isHidden) {
        const holdsElements = !node.#isHtml && node.#holdsElementsOnly;
        const gap = holdsElements || (node.#isHtml && APART.has(node.tag)) ? " " : "";
        text += gap;
        rest.push(gap);
        for (let at = node.content.length - 1; at >= 0; at--) {
          rest.push(node.content[at] ?? "");
          if (holdsElements) rest.push(" ");
        }
      }
    }
    return foldSpace(text);
  }

  get #isHidden(): boolean {
    return this.#isHtml && HIDDEN.has(this.tag);
  }

  get #holdsElementsOnly(): boolean {
    return this.content.every((child) => typeof child !== "string" || child.trim() === "");
  }

  /** The markup that it holds: its text where it has no elements, as feeds quote HTML; undefined where it has some. */
  get quotedMarkup(): string | undefined {
    return this.content.every((child) => typeof child === "string") ? this.content.join("") : undefined;
  }

  /** Atom, XLink and media elements name an address in an attribute; RSS and sitemaps have it as text. */
  get link(): string {
    for (const name of LINK_ATTRIBUTES) {
      const address = this.attribute(name);
      if (address !== undefined) return address;
    }
    return this.foldedText;
  }
}

const LINK_ATTRIBUTES = ["href", "xlink:href", "src", "url", "rdf:resource"];
