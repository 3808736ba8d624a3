import type { HtmlDocument } from "../html-document.ts";
import { TreeElement } from "../html-tree.ts";
import { withoutUnseen } from "../reading/reading.ts";
import { compileSelector } from "../selector.ts";

/** A spot on the page with the text of a label. */
export type LabelSpot = {
  readonly element: TreeElement;
  /** A colon follows, so it is a label and not just a word. */
  readonly hasColon: boolean;
} & (
  | { readonly is: "box" }
  /** The label is the beginning of a text inside the element; the value follows it. */
  | { readonly is: "text"; readonly child: number; readonly rest: string }
  /** `<td data-label="Market value">`: the element itself is the value. */
  | { readonly is: "attribute" }
);

const anyElement = compileSelector("*");
const HIDDEN = new Set(["script", "style", "template", "noscript"]);
const LABEL_ATTRIBUTES = ["data-label", "data-th", "data-title", "aria-label"];
const ANY_ATTRIBUTE = new RegExp(LABEL_ATTRIBUTES.join("|"));
const LONGEST = 120;
/** Where the next label in the same text begins: `Acres: 0.25 | Zone: R1`. */
const NEXT_IN_TEXT = /[|•·;]\s*(?=[^|•·;:]{1,60}:)/;

/** All spots of the page where one of a scraper's labels may be, by the label's key, in document order. */
export class LabelIndex {
  readonly byKey = new Map<string, LabelSpot[]>();
  /** The text of each element by index; null if it is longer than any label. */
  readonly #texts: (string | null)[];
  readonly #wanted: WantedLabels;
  readonly #attributes: readonly string[];

  constructor(document: HtmlDocument, source: string, wanted: WantedLabels) {
    this.#wanted = wanted;
    // Few pages have them, and one search costs less than asking every element.
    this.#attributes = ANY_ATTRIBUTE.test(source)
      ? LABEL_ATTRIBUTES.filter((name) => source.includes(name))
      : [];
    const elements = elementsOf(document);
    // Allocated at full length: growing from the end would be slow.
    this.#texts = Array.from<null>({ length: (elements.at(-1)?.index ?? -1) + 1 }).fill(null);
    // Children come after their parents, so going backwards each text is ready when it is needed.
    for (let at = elements.length - 1; at >= 0; at--) {
      const element = elements[at]!;
      this.#texts[element.index] = this.#shortText(element);
    }
    for (const element of elements) this.#enter(element);
  }

  /** The element's text if it is short enough to be a label. */
  textOf(element: TreeElement): string | null {
    return this.#texts[element.index] ?? null;
  }

  /**
   * Whether the element after a label is itself a label. A text that is one of the labels may also be a value ("Occupied by:
   * Owner"): it is a value if the two are one pair among pairs.
   */
  isNextLabel(label: TreeElement, next: TreeElement): boolean {
    const text = this.textOf(next);
    if (text === null || !this.isLabel(next)) return false;
    if (/[:：]$/.test(text)) return true;
    const siblings = (label.parent?.children ?? []).filter((node) => typeof node !== "string");
    return siblings.length % 2 === 1 || siblings.indexOf(label) % 2 === 1;
  }

  isLabel(element: TreeElement): boolean {
    const text = this.textOf(element);
    return text !== null && text !== "" && (/[:：]$/.test(text) || this.isKey(text));
  }

  isKey(text: string): boolean {
    return this.#wanted.keyIn(text) !== undefined;
  }

  #shortText(element: TreeElement): string | null {
    if (HIDDEN.has(element.tag)) return "";
    // A footnote mark.
    if (element.tag === "sup") return "";
    const { children } = element;
    const [only = ""] = children;
    if (children.length < 2 && typeof only === "string") return shortened(only);
    let text = "";
    for (const child of children) {
      const part = typeof child === "string" ? child : this.textOf(child);
      if (part === null) return null;
      text += typeof child === "string" || isInline(child.tag) ? part : ` ${part} `;
      if (text.length > 4 * LONGEST) return null;
    }
    return shortened(text);
  }

  #enter(element: TreeElement): void {
    const text = this.textOf(element);
    const key = text === null || text === "" ? undefined : this.#wanted.keyIn(text);
    if (text !== null && key !== undefined && !this.#hasValueInside(element, text, key))
      this.#addKey(key, { is: "box", element, hasColon: /[:：]\W{0,3}$/.test(text) });
    for (const name of this.#attributes) {
      const label = element.attribute(name);
      if (label !== undefined && label.length <= LONGEST)
        this.#add(label, { is: "attribute", element, hasColon: true });
    }
    if (HIDDEN.has(element.tag)) return;
    const { children } = element;
    // The tree keeps a text with entities in pieces.
    let own = "";
    for (let at = 0; at <= children.length; at++) {
      const child = children[at];
      if (typeof child === "string") own += child;
      else if (own !== "") {
        this.#enterText(element, at - 1, own);
        own = "";
      }
    }
  }

  #enterText(element: TreeElement, child: number, text: string): void {
    if (!text.includes(":")) {
      // `<td>Owner <b>ANN</b></td>`, and in a header a hint after the label.
      if (text.length > LONGEST || element.children.length === 1) return;
      const isHeader = element.tag === "th" || element.tag === "dt" || element.tag === "label";
      if (isHeader) this.#add(text, { is: "box", element, hasColon: false });
      else this.#add(text, { is: "text", element, child, rest: "", hasColon: false });
      return;
    }
    for (const part of text.split(NEXT_IN_TEXT)) {
      const colon = part.indexOf(":");
      const rest = part.slice(colon + 1).trim();
      // With nothing before and after it, the element itself is the label.
      if (colon > 0 && colon < LONGEST && !(rest === "" && element.children.length === 1))
        this.#add(part.slice(0, colon), { is: "text", element, child, rest, hasColon: true });
    }
  }

  /** With a blank value or a dash, label and value read like the label alone: `<div><b>Owner</b> <span></span></div>`. */
  #hasValueInside(element: TreeElement, text: string, key: string): boolean {
    if (element.tag === "label") return false;
    if (/[:：]\s*[^\s:：]/u.test(text)) return true;
    const { children } = element;
    const at = children.findIndex(
      (child) => typeof child !== "string" && this.#wanted.keyIn(this.textOf(child) ?? "") === key,
    );
    if (at === -1) return false;
    const isCell = /^(?:td|th|dt)$/.test(element.tag);
    return children.slice(at + 1).some((node) => {
      if (typeof node === "string") return !BEHIND_LABELS.test(node);
      return !isOrnament(node) && !(isCell && this.textOf(node) === "");
    });
  }

  #add(text: string, spot: LabelSpot): void {
    const key = this.#wanted.keyIn(text);
    if (key !== undefined) this.#addKey(key, spot);
  }

  #addKey(key: string, spot: LabelSpot): void {
    const known = this.byKey.get(key);
    if (known === undefined) this.byKey.set(key, [spot]);
    else known.push(spot);
  }
}

/** Null if the folded text is longer than any label. */
function shortened(text: string): string | null {
  if (text.length > 4 * LONGEST) return null;
  const folded = UNFOLDED.test(text) ? text.replace(/\s+/g, " ").trim() : text;
  return folded.length > LONGEST ? null : folded;
}

const UNFOLDED = /^\s|\s$|\s\s|[^\S ]/;

const BEHIND_LABELS = /^[\s:：*†‡§¹²³]*$/;

/** Follows a label without being its value: a line break, an icon, a hint. */
const isOrnament = (element: TreeElement): boolean =>
  /^(?:br|hr|wbr|sup|i|a|img|svg|button|script|style)$/.test(element.tag) ||
  /\b(?:help|icon|info|tip|tooltip|hint|required|mandatory|sr-only)\b/i.test(
    element.attribute("class") ?? "",
  );

const INLINE = new Set(
  "a abbr acronym b bdi bdo big cite code data dfn em font i ins kbd label mark nobr q s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);

export const isInline = (tag: string): boolean => INLINE.has(tag);

function elementsOf(document: HtmlDocument): readonly TreeElement[] {
  let top = document.first(anyElement);
  if (!(top instanceof TreeElement)) return [];
  while (top instanceof TreeElement && top.parent !== null) top = top.parent;
  const elements: TreeElement[] = [];
  const rest: TreeElement[] = top instanceof TreeElement ? [top] : [];
  for (let element = rest.pop(); element !== undefined; element = rest.pop()) {
    if (element.parent !== null) elements.push(element);
    if (HIDDEN.has(element.tag)) continue;
    for (let at = element.children.length - 1; at >= 0; at--) {
      const child = element.children[at];
      if (child instanceof TreeElement) rest.push(child);
    }
  }
  return elements;
}

/** Extra characters around a label in its element: a colon, dots, a footnote mark. */
const LONGEST_AROUND = 16;
/** ASCII letters and digits: the key of a text that begins with them begins with them too. */
const PLAIN = /^[a-z0-9]+$/i;
/** How many letters are compared first. */
const BEGINNING = 4;

/** The labels that a scraper looks for. A page has hundreds of texts, so most are rejected by length and first letters. */
export class WantedLabels {
  readonly #keys = new Set<string>();
  readonly #beginnings = new Set<string>();
  #shortest = Infinity;
  #longest = 0;

  add(key: string): void {
    this.#keys.add(key);
    for (let length = 1; length <= BEGINNING; length++) this.#beginnings.add(key.slice(0, length));
    this.#shortest = Math.min(this.#shortest, key.length);
    this.#longest = Math.max(this.#longest, key.length);
  }

  /** The key of a text that is one of the labels. */
  keyIn(text: string): string | undefined {
    const longest = this.#longest + LONGEST_AROUND;
    if (text.length < this.#shortest || (text.length > longest && text.trim().length > longest))
      return undefined;
    const beginning = text.slice(0, Math.min(BEGINNING, this.#shortest));
    if (PLAIN.test(beginning) && !this.#beginnings.has(beginning.toLowerCase())) return undefined;
    const key = labelKey(text);
    return this.#keys.has(key) ? key : undefined;
  }
}

const MARKS_AT_THE_END =
  /(?:[\s:：.…*†‡§¶?¹²³⁰-⁹ⓘℹ–—-]|\((?:\d{1,2}|[a-z]|[*†‡]+)\)|\[(?:\d{1,2}|[a-z]|[*†‡?i]+)\])+$/u;
const MARKS_AT_THE_START = /^[\s:•·▪►»*†‡–—-]+/u;

/** A label as it is compared: lower case, without colon, dots, bullets and footnote marks. */
export function labelKey(text: string): string {
  const folded = withoutUnseen(text.replace(/\s+/g, " ").trim()).toLowerCase();
  return folded.replace(MARKS_AT_THE_END, "").replace(MARKS_AT_THE_START, "").replace(/[’ʼ]/g, "'");
}
