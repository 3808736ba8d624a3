import type { TreeElement } from "../html-tree.ts";
import type { LabelIndex } from "./label-index.ts";

/** The value of a label that is a table cell: the next cell or, if the label is a header, the cells below it. Undefined: there is no such cell. */
export function cellBesideOrBelow(cell: TreeElement, index: LabelIndex): LabelCandidate | undefined {
  const row = cell.parent;
  if (row === null) return undefined;
  const cells = cellsOf(row);
  const next = cells.slice(cells.indexOf(cell) + 1).find((other) => !isSpacer(other, index));
  if (isHeader(row, cells, index)) return below(row, columnOf(cell), index);
  if (next === undefined) return cells.length === 1 ? below(row, 0, index, 1) : undefined;
  return next.tag === "th" || (cell.tag === "td" && index.isNextLabel(cell, next))
    ? undefined
    : { sureness: SURE.structure, elements: [next] };
}

/** A cell that only separates others: a colon, or a blank cell marked as a spacer. */
function isSpacer(cell: TreeElement, index: LabelIndex): boolean {
  const text = index.textOf(cell);
  if (text !== "") return text === ":" || text === "=";
  const width = Number(cell.attribute("width") ?? Number.NaN);
  return width <= 20 || /\b(?:spacer|gap|separator|divider)\b/i.test(cell.attribute("class") ?? "");
}

function isHeader(row: TreeElement, cells: readonly TreeElement[], index: LabelIndex): boolean {
  if (row.parent?.tag === "thead") return true;
  if (cells.length < 2) return false;
  if (cells.every(({ tag }) => tag === "th")) return true;
  const named = cells.filter((cell) => index.textOf(cell) !== "");
  if (named.length < 2) return false;
  if (/\b(?:head|header|heading|hdr|thead)/i.test(row.attribute("class") ?? "")) return true;
  // `<th>Owner</th><td><b>ANN</b></td>`: a header row has no values.
  if (cells.some(({ tag }) => tag === "th")) return false;
  const isName = (cell: TreeElement): boolean => index.isLabel(cell) || isBold(cell);
  // Two cells that are both labels may be a label and its value: "Occupied by", "Owner".
  if (!named.every(isBold) && !(named.length > 2 && named.every(isName))) return false;
  // A row of pairs may have bold values: then the next row begins with a name again.
  const [next] = rowsAfter(row);
  const first = next && cellsOf(next).find((cell) => index.textOf(cell) !== "");
  return first !== undefined && !isName(first);
}

/** The whole cell is bold. */
const isBold = (cell: TreeElement): boolean => {
  const inside = cell.children.filter((node) => typeof node !== "string" || node.trim() !== "");
  const [only] = inside;
  return inside.length === 1 && typeof only === "object" && (only.tag === "b" || only.tag === "strong");
};

/** `width`: how many cells the rows below may have if the label is alone in its row. */
function below(
  row: TreeElement,
  column: number,
  index: LabelIndex,
  width?: number,
): LabelCandidate | undefined {
  const found: TreeElement[] = [];
  for (const other of rowsAfter(row)) {
    const cells = cellsOf(other);
    if (cells.every(({ tag }) => tag === "th")) continue;
    if (width !== undefined && cells.length > width) break;
    const cell = cells.find((one) => columnOf(one) <= column && column < columnOf(one) + spanOf(one));
    if (cell === undefined || index.isLabel(cell)) break;
    found.push(cell);
    if (width !== undefined) break;
  }
  return found.length === 0
    ? undefined
    : { sureness: width === undefined ? SURE.structure : SURE.near, elements: found };
}

const isElement = (node: TreeElement | string): node is TreeElement => typeof node !== "string";

const cellsOf = (row: TreeElement): readonly TreeElement[] =>
  row.children.filter(isElement).filter(({ tag }) => tag === "td" || tag === "th");

function* rowsAfter(row: TreeElement): Generator<TreeElement> {
  const part = row.parent;
  if (part === null) return;
  yield* after(row, part).filter(({ tag }) => tag === "tr");
  if (!/^(?:thead|tbody|tfoot)$/.test(part.tag) || part.parent === null) return;
  for (const other of after(part, part.parent)) {
    if (other.tag === "tr") yield other;
    else yield* other.children.filter(isElement).filter(({ tag }) => tag === "tr");
  }
}

const after = (element: TreeElement, parent: TreeElement): readonly TreeElement[] =>
  parent.children.slice(parent.children.indexOf(element) + 1).filter(isElement);

function columnOf(cell: TreeElement): number {
  let column = 0;
  for (const other of cell.parent === null ? [] : cellsOf(cell.parent)) {
    if (other === cell) break;
    column += spanOf(other);
  }
  return column;
}

const spanOf = (cell: TreeElement): number => {
  const span = Number(cell.attribute("colspan") ?? 1);
  return Number.isInteger(span) && span > 0 ? Math.min(span, 1000) : 1;
};

/** How certain it is that something is a label's value; lower is surer. `nothing`: the label has no value. */
export const SURE = { structure: 0, likely: 1, near: 2, nothing: 3 } as const;

/** A possible value of a label. Several elements are entries of a list. */
export interface LabelCandidate {
  readonly sureness: (typeof SURE)[keyof typeof SURE];
  readonly elements: readonly TreeElement[];
  /** Set if the value is a text without an element of its own. */
  readonly text?: string;
}

export const NOTHING: LabelCandidate = { sureness: SURE.nothing, elements: [] };
