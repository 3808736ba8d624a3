import { FailureError } from "../domain/failure.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { labelKey } from "./labels/label-index.ts";

interface TableRow {
  readonly element: HtmlElement;
  /** By column; a cell that spans several columns or rows is in all of them. */
  readonly cells: readonly (HtmlElement | undefined)[];
  readonly isInHead: boolean;
}

/** A table, or the part of one below its own header. */
export interface TableGrid {
  /** The header of each column; of two header rows, the lower one. */
  readonly headers: readonly string[];
  /** Columns by the key of their header; with two header rows, also by both together. */
  readonly columns: ReadonlyMap<string, number>;
  readonly rows: readonly TableRow[];
}

/** Columns, as in a browser. */
const MOST = 1000;
/** A page of a few megabytes could ask for billions. */
const MOST_PLACES = 5_000_000;

/**
 * The header is `<thead>`, else the leading rows of only `<th>`, else the first row; a title above it is skipped. Titles, blank rows and
 * repeated headers are not rows. A header with other columns, or the same in another order, starts another grid.
 */
export function readGrids(document: HtmlDocument, table: HtmlElement): readonly TableGrid[] {
  const texts = new Map<HtmlElement, string>();
  const textOf = (cell: HtmlElement | undefined): string => {
    if (cell === undefined) return "";
    let text = texts.get(cell);
    if (text === undefined) texts.set(cell, (text = document.textOf(cell)));
    return text;
  };
  const rows = spread(document, rowsOf(document, table));
  const grids: TableGrid[] = [];
  let { from, to } = findHeader(rows);
  // Some tables use only `<th>`.
  const isOfHeaders = rows.slice(to).every((row) => isAll("th", row));
  const isHeader = (row: TableRow | undefined): boolean =>
    row !== undefined && (row.isInHead || (isAll("th", row) && !isOfHeaders));
  do {
    const headerTexts = rows.slice(from, to).map(({ cells }) => cells.map(textOf));
    const named = nameColumns(headerTexts);
    const known = new Set(headerTexts.map((row) => row.join("\0")));
    const data: TableRow[] = [];
    let at = to;
    for (; at < rows.length; at++) {
      const row = rows[at]!;
      const found = row.cells.map(textOf);
      if (known.has(found.join("\0")) || found.every((text) => text === "")) continue;
      if (isTitle(row) && named.headers.length > 1) continue;
      if (!isHeader(row)) data.push(row);
      else if (row.isInHead || isSameColumns(found, named)) break;
    }
    grids.push({ ...named, rows: data });
    from = at;
    to = from + 1;
    while (isHeader(rows[to])) to++;
  } while (from < rows.length);
  return grids;
}

function findHeader(rows: readonly TableRow[]): { from: number; to: number } {
  const wide = rows.findIndex((row) => !isTitle(row));
  const from = Math.max(wide, 0);
  const isHead = rows[from]?.isInHead === true;
  let to = from;
  while (to < rows.length && (isHead ? rows[to]!.isInHead : isAll("th", rows[to]))) to++;
  // Three rows or more of only `<th>` are a header and its rows.
  if (!isHead && to === rows.length && to - from > 2) to = from + 1;
  return { from, to: Math.max(to, Math.min(from + 1, rows.length)) };
}

/** A row of `<th>` in the body may be a sum or a group. It is a header if it names the columns again, in another order. */
function isSameColumns(texts: readonly string[], { columns }: Pick<TableGrid, "columns">): boolean {
  const keys = new Set(texts.map(labelKey).filter((key) => key !== ""));
  return keys.size > 1 && [...keys].filter((key) => columns.has(key)).length > 1;
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

const isAll = (tag: string, row: TableRow | undefined): boolean =>
  row !== undefined && row.cells.length > 0 && row.cells.every((cell) => cell?.tag === tag);

interface SourceRow {
  readonly element: HtmlElement;
  readonly group: HtmlElement;
  readonly isInHead: boolean;
}

/** In document order, without the sums in `<tfoot>`. */
function rowsOf(document: HtmlDocument, table: HtmlElement): SourceRow[] {
  const rows: SourceRow[] = [];
  for (const part of document.childrenOf(table)) {
    if (part.tag === "tr") rows.push({ element: part, group: table, isInHead: false });
    if (part.tag !== "thead" && part.tag !== "tbody") continue;
    for (const element of document.childrenOf(part))
      if (element.tag === "tr") rows.push({ element, group: part, isInHead: part.tag === "thead" });
  }
  // If there is nothing else, `<thead>` holds the rows too.
  return rows.every(({ isInHead }) => isInHead) ? rows.map((row) => ({ ...row, isInHead: false })) : rows;
}

/** Row spans end with their row group, as in a browser, and count rows without cells. */
function spread(document: HtmlDocument, rows: readonly SourceRow[]): TableRow[] {
  /** Cells that reach into the next rows, by column, each with the first row that it does not reach. */
  let reaching: { cell: HtmlElement; end: number }[] = [];
  let left = MOST_PLACES;
  let groupEnd = 0;
  return rows.map(({ element, group, isInHead }, row) => {
    if (row >= groupEnd) {
      reaching = [];
      groupEnd = row + 1;
      while (rows[groupEnd]?.group === group) groupEnd++;
    }
    const cells: (HtmlElement | undefined)[] = [];
    const above = (column: number): HtmlElement | undefined => {
      const cell = reaching[column];
      return cell !== undefined && cell.end > row ? cell.cell : undefined;
    };
    const takeReaching = (): void => {
      for (let cell = above(cells.length); cell && cells.length < MOST; cell = above(cells.length))
        cells.push(cell);
    };
    for (const cell of document.childrenOf(element)) {
      if (cell.tag !== "td" && cell.tag !== "th") continue;
      takeReaching();
      const end = Math.min(row + span(document.attr(cell, "rowspan"), groupEnd), groupEnd);
      const across = Math.min(span(document.attr(cell, "colspan"), 1), MOST, MOST - cells.length);
      for (let column = 0; column < across; column++) {
        reaching[cells.length] = { cell, end };
        cells.push(cell);
      }
    }
    // A row without cells of its own adds nothing. Other rows also take the cells from above to the right of a gap.
    if (cells.length > 0) {
      const last = reaching.findLastIndex(({ end }) => end > row);
      for (let column = cells.length; column <= last; column++) cells.push(above(column));
    }
    left -= cells.length;
    if (left < 0)
      throw new FailureError({
        kind: "too-large",
        detail: `a table has more than ${MOST_PLACES} cells, counting a cell once for each row and column it spans`,
      });
    return { element, cells, isInHead };
  });
}

/** `rowspan="0"` means to the end. */
function span(text: string | undefined, all: number): number {
  const count = Number.parseInt(text ?? "1", 10);
  return Number.isNaN(count) || count < 0 ? 1 : count === 0 ? all : count;
}
