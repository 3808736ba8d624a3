import { decodeHTMLStrict } from "entities";
import { FailureError, type FailureKind } from "../../domain/failure.ts";
import { APART, foldSpace, HIDDEN } from "../folded-text.ts";
import { type HtmlTree, ParsedElement, TreeBuilder } from "../html-tree.ts";

/** Deeper documents are attacks: css-select looks at every element above a match. */
const DEEPEST = 1000;
const MOST_ELEMENTS = 2_000_000;

const NAME_START = /[\p{L}_:]/u;
const NAME = /[^\s/>=<"']+/y;
const SPACE = /\s*/y;
const BARE_VALUE = /[^\s>]+/y;

/**
 * Builds the tree of an XML document. Its structure must be well-formed, else it throws `FailureError` with `bad-content`: a missing end
 * tag may mean that half of the records did not arrive. Characters are read leniently, as feeds need it: a bare `&`, HTML's named
 * entities, attributes without quotes. A DOCTYPE is skipped: nothing that it declares is expanded or fetched.
 */
export const buildXmlTree = (text: string): HtmlTree => new XmlReader(text).tree;

class XmlReader {
  readonly tree = new TreeBuilder(new XmlElement("", null), { isXml: true });
  readonly #text: string;
  #open = this.tree.root;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    const { length } = text;
    const { root, elements } = this.tree;
    for (let at = 0; at < length;) {
      const next = this.#text.indexOf("<", at);
      const end = next < 0 ? length : next;
      if (end > at) this.#addText(at, end, true);
      at = next < 0 ? length : this.#readMarkup(next);
    }
    if (this.#open !== root) this.#fail(this.#open.at, `<${this.#open.tag}> is not closed`);
    if (elements.length === 0) this.#fail(0, "it has no element");
    this.tree.end(root, length);
  }

  /** Returns where the markup ends. */
  #readMarkup(at: number): number {
    const text = this.#text;
    if (text.startsWith("</", at)) return this.#readEndTag(at);
    if (text.startsWith("<!--", at)) return this.#after("-->", at + 4, at, "this comment");
    if (text.startsWith("<?", at)) return this.#after("?>", at + 2, at, "this processing instruction");
    if (text.startsWith("<![CDATA[", at)) {
      const end = this.#after("]]>", at + 9, at, "this CDATA section");
      this.#addText(at + 9, end - 3, false);
      return end;
    }
    if (/^<!doctype\b/i.test(text.slice(at, at + 10))) return this.#afterDoctype(at);
    if (NAME_START.test(text[at + 1] ?? "")) return this.#readStartTag(at);
    this.#addText(at, at + 1, false);
    return at + 1;
  }

  #readStartTag(at: number): number {
    let end = this.#skip(NAME, at + 1);
    const tag = this.#text.slice(at + 1, end);
    const attributes: [string, string][] = [];
    for (;;) {
      end = this.#skip(SPACE, end);
      const mark = this.#text[end];
      if (mark === undefined) this.#fail(at, `the tag <${tag} does not end`);
      if (mark === ">" || mark === "/") {
        const isClosed = mark === "/" && this.#text[end + 1] === ">";
        end += isClosed ? 2 : 1;
        if (mark === "/" && !isClosed) continue;
        this.#opens(new XmlElement(tag, this.#open, attributes), at, end);
        if (isClosed) this.#closes(end);
        return end;
      }
      end = this.#readAttribute(end, attributes, at);
    }
  }

  #readAttribute(at: number, into: [string, string][], tagAt: number): number {
    const text = this.#text;
    const nameEnd = this.#skip(NAME, at);
    if (nameEnd === at) {
      if (text[at] === "<") this.#fail(tagAt, "this tag does not end before the next one begins");
      return at + 1;
    }
    const name = text.slice(at, nameEnd);
    let end = this.#skip(SPACE, nameEnd);
    let value = "";
    if (text[end] === "=") {
      end = this.#skip(SPACE, end + 1);
      const quote = text[end];
      if (quote === '"' || quote === "'") {
        const close = this.#after(quote, end + 1, tagAt, `the value of ${name} in this tag`);
        value = text.slice(end + 1, close - 1);
        end = close;
      } else {
        const valueEnd = this.#skip(BARE_VALUE, end);
        value = text.slice(end, valueEnd);
        end = valueEnd;
      }
    }
    into.push([name, decoded(value)]);
    return end;
  }

  #readEndTag(at: number): number {
    const end = this.#after(">", at + 2, at, "this end tag");
    const tag = this.#text.slice(at + 2, end - 1).trim();
    if (this.#open === this.tree.root) this.#fail(at, `</${tag}> closes nothing`);
    if (tag !== this.#open.tag)
      this.#fail(at, `</${tag}> does not close <${this.#open.tag}> of ${this.#place(this.#open.at)}`);
    this.#closes(at);
    return end;
  }

  #opens(element: XmlElement, at: number, inside: number): void {
    const parent = this.#open;
    if (parent === this.tree.root && parent.content.length > 0)
      this.#fail(at, `<${element.tag}> is a second root element`);
    if (++this.#depth > DEEPEST) this.#fail(at, `elements are nested deeper than ${DEEPEST}`);
    if (this.tree.elements.length >= MOST_ELEMENTS)
      this.#fail(at, `it has more than ${MOST_ELEMENTS} elements`, "too-large");
    this.tree.add(element, at, inside);
    parent.content.push(element);
    this.#open = element;
  }

  #closes(at: number): void {
    this.tree.end(this.#open, at);
    this.#depth--;
    // Every element was opened inside one; the root is the page itself.
    this.#open = this.#open.parent as XmlElement;
  }

  /** Text outside of the root element is dropped. */
  #addText(from: number, to: number, hasEntities: boolean): void {
    if (this.#open === this.tree.root) return;
    const text = this.#text.slice(from, to).replaceAll("\0", "");
    if (text !== "") this.#open.content.push(hasEntities ? decoded(text) : text);
  }

  /** `<!DOCTYPE rss [ … ]>`: brackets in quotes and comments do not count. */
  #afterDoctype(at: number): number {
    const mark = /["'>]|<!--|\[|\]/g;
    mark.lastIndex = at;
    let isInSubset = false;
    for (let found = mark.exec(this.#text); found !== null; found = mark.exec(this.#text)) {
      const [sign] = found;
      if (sign === ">" && !isInSubset) return mark.lastIndex;
      if (sign === "[" || sign === "]") isInSubset = sign === "[";
      else if (sign !== ">") {
        const what = sign === "<!--" ? "a comment of the DOCTYPE" : "a quoted text of the DOCTYPE";
        mark.lastIndex = this.#after(sign === "<!--" ? "-->" : sign, mark.lastIndex, found.index, what);
      }
    }
    return this.#fail(at, "the DOCTYPE does not end");
  }

  #after(sign: string, from: number, at: number, what: string): number {
    const found = this.#text.indexOf(sign, from);
    return found < 0 ? this.#fail(at, `${what} does not end`) : found + sign.length;
  }

  #skip(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.test(this.#text) ? pattern.lastIndex : from;
  }

  #fail(at: number, problem: string, kind: FailureKind = "bad-content"): never {
    throw new FailureError({ kind, detail: `the XML is not well-formed, ${this.#place(at)}: ${problem}` });
  }

  #place(at: number): string {
    const before = this.#text.slice(0, at);
    return `line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}`;
  }
}

const decoded = (text: string): string => (text.includes("&") ? decodeHTMLStrict(text) : text);

const XHTML = "http://www.w3.org/1999/xhtml";

/** An element of an XML document. Names are as written, with prefix and case. */
export class XmlElement extends ParsedElement {
  /** In the XHTML namespace: shown as HTML is. */
  readonly #isHtml: boolean;

  constructor(tag: string, parent: XmlElement | null, attributes: [name: string, value: string][] = []) {
    super(tag, parent, attributes);
    const namespace = this.attribute("xmlns");
    this.#isHtml = namespace === undefined ? parent !== null && parent.#isHtml : namespace === XHTML;
  }

  /** Fields ask in lower case, as in HTML: `ispermalink` finds `isPermaLink`. */
  attributeInAnyCase(name: string): string | undefined {
    const wanted = name.toLowerCase();
    return this.attribute(name) ?? this.attributes.find(([own]) => own.toLowerCase() === wanted)?.[1];
  }

  override get children(): (XmlElement | string)[] {
    return this.content as (XmlElement | string)[];
  }

  /** White space folded. Texts of elements are set apart where an element holds only elements, and so are XHTML blocks. */
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
        for (let at = node.children.length - 1; at >= 0; at--) {
          rest.push(node.children[at] ?? "");
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

  /** Its text, which in feeds is quoted HTML; undefined if it has elements. */
  get quotedMarkup(): string | undefined {
    return this.content.every((child) => typeof child === "string") ? this.content.join("") : undefined;
  }

  /** Atom, XLink and media elements have the address in an attribute, RSS and sitemaps in the text. */
  get link(): string {
    for (const name of LINK_ATTRIBUTES) {
      const address = this.attribute(name);
      if (address !== undefined) return address;
    }
    return this.foldedText;
  }
}

const LINK_ATTRIBUTES = ["href", "xlink:href", "src", "url", "rdf:resource"];
