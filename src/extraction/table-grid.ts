import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { labelKey } from "./label-key.ts";

export interface TableRow {
  readonly element: HtmlElement;
  /** By column; a cell that spans several columns or rows stands in all of them. */
  readonly cells: readonly (HtmlElement | undefined)[];
}

export interface TableGrid {
  /** The header of each column, of two header rows the lower one. */
  readonly headers: readonly string[];
  /** The columns by the key of their header; also by both headers together where there are two rows of them. */
  readonly columns: ReadonlyMap<string, number>;
  readonly rows: readonly TableRow[];
}

/** Rows or columns; more is no table that a person reads, and would only cost memory. */
const MOST = 1000;

/**
 * The header is `<thead>`, else the leading rows of `<th>` alone, else the first row; a title above it is passed over. Rows that
 * are a title, blank, or the header again are no rows.
 */
export function readGrid(document: HtmlDocument, table: HtmlElement): TableGrid {
  const texts = new Map<HtmlElement, string>();
  const textOf = (cell: HtmlElement | undefined): string => {
    if (cell === undefined) return "";
    let text = texts.get(cell);
    if (text === undefined) texts.set(cell, (text = document.textOf(cell)));
    return text;
  };
  const { head, body } = rowsOf(document, table);
  const rows = spread(document, [...head, ...body]);
  const { from, to } = head.length > 0 ? { from: 0, to: head.length } : findHeader(rows);
  const headerTexts = rows.slice(from, to).map(({ cells }) => cells.map(textOf));
  const { headers, columns } = nameColumns(headerTexts);
  const known = new Set(headerTexts.map((row) => row.join("\0")));
  const isData = (row: TableRow): boolean => {
    if (isTitle(row) && headers.length > 1) return false;
    const found = row.cells.map(textOf);
    return !isAll("th", row) && found.some((text) => text !== "") && !known.has(found.join("\0"));
  };
  return { headers, columns, rows: rows.slice(to).filter(isData) };
}

function findHeader(rows: readonly TableRow[]): { from: number; to: number } {
  const wide = rows.findIndex((row) => !isTitle(row));
  const from = Math.max(wide, 0);
  let to = from;
  while (to < rows.length && isAll("th", rows[to]!)) to++;
  return { from, to: Math.max(to, Math.min(from + 1, rows.length)) };
}

function nameColumns(headerTexts: readonly (readonly string[])[]): Pick<TableGrid, "headers" | "columns"> {
  const width = headerTexts.reduce((widest, { length }) => Math.max(widest, length), 0);
  const headers: string[] = [];
  const columns = new Map<string, number>();
  for (let column = 0; column < width; column++) {
    const texts = [...new Set(headerTexts.map((row) => row[column] ?? "").filter((text) => text !== ""))];
    const lower = texts.at(-1) ?? "";
    headers.push(lower);
    for (const text of [lower, texts.join(" ")]) {
      const key = labelKey(text);
      if (key !== "" && !columns.has(key)) columns.set(key, column);
    }
  }
  return { headers, columns };
}

/** One cell over the whole width: a title, or "no payments found". */
const isTitle = ({ cells }: TableRow): boolean => cells.every((cell) => cell === cells[0]);

const isAll = (tag: string, { cells }: TableRow): boolean =>
  cells.length > 0 && cells.every((cell) => cell?.tag === tag);

function rowsOf(document: HtmlDocument, table: HtmlElement): { head: HtmlElement[]; body: HtmlElement[] } {
  const head: HtmlElement[] = [];
  const body: HtmlElement[] = [];
  for (const part of document.childrenOf(table)) {
    if (part.tag === "tr") body.push(part);
    if (part.tag !== "thead" && part.tag !== "tbody") continue;
    for (const row of document.childrenOf(part))
      if (row.tag === "tr") (part.tag === "thead" ? head : body).push(row);
  }
  return { head, body };
}

function spread(document: HtmlDocument, rows: readonly HtmlElement[]): TableRow[] {
  /** Cells that reach down into the rows to come, by column. */
  const reaching: { cell: HtmlElement; rows: number }[] = [];
  return rows.map((element) => {
    const cells: (HtmlElement | undefined)[] = [];
    const takeReaching = (): void => {
      for (
        let above = reaching[cells.length];
        above && above.rows > 0 && cells.length < MOST;
        above = reaching[cells.length]
      ) {
        above.rows--;
        cells.push(above.cell);
      }
    };
    for (const cell of document.childrenOf(element)) {
      if (cell.tag !== "td" && cell.tag !== "th") continue;
      takeReaching();
      const down = span(document.attr(cell, "rowspan"), rows.length);
      const across = Math.min(span(document.attr(cell, "colspan"), 1), MOST - cells.length);
      for (let column = 0; column < across; column++) {
        reaching[cells.length] = { cell, rows: down - 1 };
        cells.push(cell);
      }
    }
    takeReaching();
    return { element, cells };
  });
}

/** `rowspan="0"` means to the end. */
function span(text: string | undefined, all: number): number {
  const count = Number.parseInt(text ?? "1", 10);
  return Math.min(Number.isNaN(count) || count < 0 ? 1 : count === 0 ? all : count, MOST);
}
