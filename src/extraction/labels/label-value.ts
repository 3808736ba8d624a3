import { foldedText, foldSpace, visibleText } from "../folded-text.ts";
import type { HtmlDocument } from "../html-document.ts";
import { TreeElement } from "../html-tree.ts";
import { compileSelector } from "../selector.ts";
import { cellBesideOrBelow, type LabelCandidate, NOTHING, SURE } from "./label-cell.ts";
import { isInline, type LabelIndex, type LabelSpot } from "./label-index.ts";

const NO_LABELS = new Set([
  "a",
  "button",
  "option",
  "nav",
  "title",
  "head",
  "html",
  "body",
  "tr",
  "tbody",
  "thead",
  "table",
]);
const HEADING = /^h[1-6]$/;

/** Undefined: the spot is not a label after all. */
export function valueAt(
  spot: LabelSpot,
  index: LabelIndex,
  document: HtmlDocument,
): LabelCandidate | undefined {
  const { element } = spot;
  if (spot.is === "attribute") return { sureness: SURE.structure, elements: [element] };
  if (spot.is === "text") return valueBehind(spot, index);
  if (NO_LABELS.has(element.tag)) return undefined;

  const control = controlOf(element, document);
  if (control !== undefined) return { sureness: SURE.structure, elements: [control] };
  if (element.tag === "td" || element.tag === "th") return cellBesideOrBelow(element, index);
  if (element.tag === "dt") return definitionOf(element);
  if (element.tag === "dd" || element.tag === "li") return spot.hasColon ? NOTHING : undefined;
  const value = valueAfter(element, spot.hasColon, index);
  return value === NOTHING && isAllOfCell(element, index) ? undefined : value;
}

/** Then the cell is the label, and its value is in another cell. */
function isAllOfCell(element: TreeElement, index: LabelIndex): boolean {
  const text = index.textOf(element);
  let around = element.parent;
  while (around !== null && isInline(around.tag)) around = around.parent;
  return around !== null && /^(?:td|th|dt)$/.test(around.tag) && index.textOf(around) === text;
}

/** `<label for="x">`, or the control inside the label. */
function controlOf(label: TreeElement, document: HtmlDocument): TreeElement | undefined {
  if (label.tag !== "label") return undefined;
  const id = label.attribute("for");
  const named = id === undefined ? undefined : document.first(compileSelector(`[id=${JSON.stringify(id)}]`));
  if (named instanceof TreeElement) return named;
  return label.children.find(
    (child): child is TreeElement =>
      typeof child !== "string" && /^(?:input|select|textarea)$/.test(child.tag),
  );
}

function definitionOf(term: TreeElement): LabelCandidate | undefined {
  const found: TreeElement[] = [];
  const siblings = elementsAfter(term);
  for (const sibling of siblings) {
    if (sibling.tag === "dt") break;
    if (sibling.tag === "dd") found.push(sibling);
  }
  return found.length > 0 ? { sureness: SURE.structure, elements: found } : undefined;
}

/** After a label that is an element: text in the same line, or the next element. */
function valueAfter(label: TreeElement, hasColon: boolean, index: LabelIndex): LabelCandidate | undefined {
  const { parent } = label;
  if (parent === null || !beginsLine(label, parent)) return undefined;
  const at = parent.children.indexOf(label);
  const colon = hasColon || /^\s*[:：]/.test(textAt(parent, at + 1));
  if (isInline(label.tag)) {
    const line = lineBehind(parent, at + 1, index);
    const more = line.text === "" ? "" : linesBelow(parent, line.end, index);
    if (line.text !== "" && (line.only === undefined || more !== ""))
      return {
        sureness: colon ? SURE.likely : SURE.near,
        elements: [label],
        text: foldSpace(`${line.text} ${more}`),
      };
  }
  const next = elementsAfter(label).find(({ tag }) => !/^(?:br|hr|sup|script|style)$/.test(tag));
  // A block label has a block as its value; if the next block is another label, there is no value.
  if (next !== undefined && label.tag === "div" && index.isNextLabel(label, next)) return undefined;
  if (next === undefined || index.isNextLabel(label, next) || beginsWithLabel(next, index))
    return colon ? NOTHING : undefined;
  if (HEADING.test(next.tag) || (next.tag === "table" && !HEADING.test(label.tag)))
    return colon ? NOTHING : undefined;
  return { sureness: colon || !isInline(label.tag) ? SURE.likely : SURE.near, elements: [next] };
}

/** After a label that is the beginning of a text. */
function valueBehind(
  { element, child, rest, hasColon }: Extract<LabelSpot, { is: "text" }>,
  index: LabelIndex,
): LabelCandidate | undefined {
  const sureness = hasColon ? SURE.likely : SURE.near;
  const line = rest === "" ? lineBehind(element, child + 1, index) : restOfLine(element, child + 1, index);
  const isValue = hasColon && `${rest}${line.text}` !== "";
  const more = isValue ? linesBelow(element, line.end, index) : "";
  const text = foldSpace(`${rest} ${line.text} ${more}`);
  if (rest === "" && more === "" && line.only !== undefined) return { sureness, elements: [line.only] };
  if (text !== "") return { sureness, elements: [element], text };
  const next = element.children
    .slice(child + 1)
    .find((node) => typeof node !== "string" && node.tag !== "br");
  if (typeof next !== "object" || index.isLabel(next) || beginsWithLabel(next, index))
    return hasColon ? NOTHING : undefined;
  return { sureness: SURE.near, elements: [next] };
}

interface Line {
  readonly text: string;
  /** Set if all of it is one element. */
  readonly only?: TreeElement;
  /** The child at which it ends. */
  readonly end: number;
}

/** The rest of a label's line or, if the label is alone in its line, the next line. */
function lineBehind(parent: TreeElement, from: number, index: LabelIndex): Line {
  const line = restOfLine(parent, from, index);
  const stop = parent.children[line.end];
  if (line.text !== "" || typeof stop !== "object" || stop.tag !== "br") return line;
  const next = restOfLine(parent, line.end + 1, index);
  return /^[^:]{1,60}:(?:\s|$)/.test(next.text) ? line : next;
}

/** Further lines of a value, such as an address, if there is only one label. */
function linesBelow(parent: TreeElement, end: number, index: LabelIndex): string {
  if (!isLineBreak(parent.children[end])) return "";
  const labels = parent.children.filter(
    (node) => typeof node !== "string" && (LABEL_TAGS.has(node.tag) || index.isLabel(node)),
  );
  if (labels.length > 1) return "";
  let text = "";
  for (let at = end; isLineBreak(parent.children[at]);) {
    const line = restOfLine(parent, at + 1, index);
    if (/^[^:]{1,60}:(?:\s|$)/.test(line.text)) return "";
    text += ` ${line.text}`;
    at = line.end;
  }
  return text.trim();
}

const LABEL_TAGS = new Set(["b", "strong", "label", "dt", "th"]);

const isLineBreak = (node: TreeElement | string | undefined): boolean =>
  typeof node === "object" && node.tag === "br";

/** Up to a break, a block or the next label. */
function restOfLine(parent: TreeElement, from: number, index: LabelIndex): Line {
  let text = "";
  let end = from;
  const parts: TreeElement[] = [];
  for (; end < parent.children.length; end++) {
    const node = parent.children[end]!;
    if (typeof node === "string") {
      text += text.trim() === "" ? node.replace(/^\s*[:：]/, "") : node;
      continue;
    }
    if (!isInline(node.tag) || index.isLabel(node)) break;
    if ((node.tag === "b" || node.tag === "strong" || node.tag === "label") && text.trim() !== "") break;
    parts.push(node);
    text += visibleText(node);
  }
  const folded = foldSpace(text);
  const [only] = parts;
  const isOne = parts.length === 1 && only !== undefined && foldedText(only) === folded;
  return isOne ? { text: folded, only, end } : { text: folded, end };
}

/** In running text a word is not a label: "the <b>owner</b> of this parcel". */
function beginsLine(label: TreeElement, parent: TreeElement): boolean {
  for (let at = parent.children.indexOf(label) - 1; at >= 0; at--) {
    const node = parent.children[at];
    if (typeof node === "string") {
      if (/[\p{L}\p{N}]/u.test(node))
        return /[|•·;:,]\s*$/.test(node) || !/[.\p{Ll}]\s*$/u.test(node) || /\d\s*$/.test(node);
    } else return true;
  }
  return true;
}

function beginsWithLabel(element: TreeElement, index: LabelIndex): boolean {
  let around = element;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const first = around.children.find((node) => typeof node !== "string" || node.trim() !== "");
    if (first === undefined) return false;
    if (typeof first === "string") {
      const colon = first.indexOf(":");
      return colon > 0 && index.isKey(first.slice(0, colon));
    }
    if (/^(?:label|dt|th)$/.test(first.tag) || index.isLabel(first)) return true;
    around = first;
  }
  return false;
}

/** How deep in a block its first words may be. */
const DEEPEST = 20;

const textAt = (parent: TreeElement, at: number): string => {
  const node = parent.children[at];
  return typeof node === "string" ? node : "";
};

function elementsAfter(element: TreeElement): readonly TreeElement[] {
  const siblings = element.parent?.children ?? [];
  return siblings
    .slice(siblings.indexOf(element) + 1)
    .filter((node): node is TreeElement => typeof node !== "string");
}
