import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate, DraftPlace } from "./field-draft.ts";
import { guessKind, kindOfLink, linkIn, type PageStyle } from "./guess-kind.ts";
import { isBoilerplate, siblingsOf } from "./page-markup.ts";
import { anchorOf, shortSelector } from "./short-selector.ts";

const VALUE_LENGTH = 300;
const LABEL_LENGTH = 60;
const LABEL_WORDS = 8;
/** A label that occurs more often belongs to a repeated block. */
const MOST_TIMES = 2;
/** A page with more is a list: the first ones are enough. */
const MOST_PAIRS = 60;
const BLOCKS = new Set(["ul", "ol", "li", "table", "dl", "form", "script", "style"]);

interface Pair {
  readonly label: string;
  readonly text: string;
  readonly value: HtmlElement;
}

/** Values beside or below their labels: in tables, definition lists and pairs of elements. */
export const findLabels = (document: HtmlDocument, style: PageStyle): Candidate[] => {
  const byValue = new Map<HtmlElement, Pair>();
  for (const found of [...inTables(document), ...inLists(document), ...inPairs(document)])
    if (!byValue.has(found.value) && isValue(document, found)) byValue.set(found.value, found);
  const pairs = [...byValue.values()];
  const times = new Map<string, number>();
  for (const { label } of pairs) times.set(label, (times.get(label) ?? 0) + 1);
  return pairs
    .filter(({ label }) => times.get(label)! <= MOST_TIMES)
    .slice(0, MOST_PAIRS)
    .map((found) => candidateOf(document, found, style));
};

const isValue = (document: HtmlDocument, { label, text, value }: Pair): boolean =>
  text !== "" &&
  text !== label &&
  text.length <= VALUE_LENGTH &&
  // More labels inside: a block of pairs, not a value.
  !/\p{L}:\s.*\p{L}:\s/u.test(text) &&
  !BLOCKS.has(value.tag) &&
  document.first(compileSelector("ul, ol, table, dl, form, p"), value) === undefined &&
  !isBoilerplate(document, value);

/** By a selector if the element has a stable name, else by its label. */
const candidateOf = (document: HtmlDocument, { label, text, value }: Pair, style: PageStyle): Candidate => {
  const css = shortSelector(document, [value]);
  const within = anchorOf(document, value);
  const places: DraftPlace[] = [
    ...(css === undefined ? [] : [{ css }]),
    { label },
    ...(within === undefined ? [] : [{ label, within }]),
  ];
  const href = linkIn(document, value);
  const kind = kindOfLink(href, text, label, style) ?? guessKind(text, label, style);
  const kinds = kind.type === "text" ? [kind] : [kind, { type: "text" } as const];
  const choices = kinds.flatMap((each) => places.map((place) => ({ ...each, place })));
  return { label, texts: [text, ...(href === undefined ? [] : [href])], from: "label", choices };
};

const pair = (document: HtmlDocument, label: HtmlElement, value: HtmlElement): Pair | undefined => {
  const name = document.textOf(label).replace(/\s*[:：]$/, "");
  return isLabel(name)
    ? { label: name, text: document.textOf(value), value: innermost(document, value) }
    : undefined;
};

const isLabel = (text: string): boolean =>
  text.length <= LABEL_LENGTH &&
  text.split(" ").length <= LABEL_WORDS &&
  /\p{L}{2}/u.test(text) &&
  !/[.!?]$/.test(text);

/** A cell that contains only one element stands for that element, which often has an id. */
const innermost = (document: HtmlDocument, element: HtmlElement): HtmlElement => {
  const [only, ...others] = document.childrenOf(element);
  if (only === undefined || others.length > 0 || document.textOf(only) !== document.textOf(element))
    return element;
  return innermost(document, only);
};

function* inTables(document: HtmlDocument): Generator<Pair> {
  for (const row of document.all(compileSelector("tr"))) {
    const cells = document.childrenOf(row).filter(({ tag }) => tag === "td" || tag === "th");
    if (!isLabelledRow(document, row, cells)) continue;
    for (let at = 0; at + 1 < cells.length; at += 2) {
      const found = pair(document, cells[at]!, cells[at + 1]!);
      if (found) yield found;
    }
  }
}

/** Label and value, once or twice. A row of a table with a header row has only values. */
const isLabelledRow = (document: HtmlDocument, row: HtmlElement, cells: readonly HtmlElement[]): boolean => {
  if (cells.length !== 2 && cells.length !== 4) return false;
  if (cells.some((cell) => document.first(compileSelector("table"), cell))) return false;
  const values = cells.filter((_, at) => at % 2 === 1);
  if (values.some(({ tag }) => tag === "th")) return false;
  const labels = cells.filter((_, at) => at % 2 === 0);
  if (labels.every((cell) => cell.tag === "th" || hasMark(document, cell))) return true;
  const table = parentNamed(document, row, "table");
  return (
    cells.length === 2 && table !== undefined && document.first(compileSelector("th"), table) === undefined
  );
};

const LABEL_CLASS = /(?:^|[-_\s])(?:label|lbl|caption|key|term|title|head(?:ing)?|name)s?(?:$|[-_\s])/i;
const VALUE_CLASS =
  /(?:^|[-_\s])(?:value|val|text|data|content|desc(?:ription)?|answer|detail|info)s?(?:$|[-_\s])/i;

const hasMark = (document: HtmlDocument, element: HtmlElement): boolean =>
  /[:：]$/.test(document.textOf(element)) || LABEL_CLASS.test(document.attr(element, "class") ?? "");

const parentNamed = (document: HtmlDocument, element: HtmlElement, tag: string): HtmlElement | undefined => {
  let at = document.parentOf(element);
  while (at !== undefined && at.tag !== tag) at = document.parentOf(at);
  return at;
};

function* inLists(document: HtmlDocument): Generator<Pair> {
  for (const term of document.all(compileSelector("dl dt"))) {
    const siblings = siblingsOf(document, term);
    const next = siblings[siblings.indexOf(term) + 1];
    const found = next?.tag === "dd" ? pair(document, term, next) : undefined;
    if (found) yield found;
  }
}

const PAIRED = "span, b, strong, label, em, div, p, h3, h4, h5, h6";

/** `<span class="label">Price</span><span class="value">5</span>`, and `<b>Price:</b> <i>5</i>`. */
function* inPairs(document: HtmlDocument): Generator<Pair> {
  for (const label of document.all(compileSelector(PAIRED))) {
    const name = document.textOf(label);
    if (name.length > LABEL_LENGTH || document.childrenOf(label).length > 2) continue;
    const siblings = siblingsOf(document, label);
    const value = siblings[siblings.indexOf(label) + 1];
    if (value === undefined || hasMark(document, value) || !isPairedWith(document, label, value)) continue;
    const found = pair(document, label, value);
    if (found) yield found;
  }
}

const isPairedWith = (document: HtmlDocument, label: HtmlElement, value: HtmlElement): boolean => {
  const [name, text] = [document.textOf(label), document.textOf(value)];
  if (/[:：]$/.test(name)) return isTogether(document, label, `${name} ${text}`);
  const [labelled, valued] = [label, value].map((each) => document.attr(each, "class") ?? "");
  return LABEL_CLASS.test(labelled ?? "") && VALUE_CLASS.test(valued ?? "");
};

/** With nothing between them: in prose, more of the sentence follows a bold word. */
const isTogether = (document: HtmlDocument, label: HtmlElement, both: string): boolean => {
  const parent = document.parentOf(label);
  return (
    parent !== undefined &&
    document
      .textOf(parent)
      .replace(/([:：])\s*/g, "$1 ")
      .includes(both)
  );
};
