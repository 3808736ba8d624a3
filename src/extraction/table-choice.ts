import type { Field } from "./define-field.ts";
import type { CompiledFields } from "./fields.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { compileSelector } from "./selector.ts";
import { readGrids } from "./table-grid.ts";
import type { TableGrid } from "./table-grid.ts";

const allTables = compileSelector("table");
const headerCells = compileSelector("> tr > th, > thead, > tbody > tr > th, > caption");
const PARTS = new Set(["thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup"]);

/** The tables that the matches of a selector are, have in them, or are a part of; each once, in the order of the page. */
export function tablesAt(document: HtmlDocument, matches: readonly HtmlElement[]): readonly HtmlElement[] {
  const tables = new Set<HtmlElement>();
  for (const match of matches) {
    if (match.tag === "table") tables.add(match);
    else {
      const inside = document.all(allTables, match);
      const around = inside.length === 0 && PARTS.has(match.tag) ? tableAround(document, match) : undefined;
      for (const table of around === undefined ? inside : [around]) tables.add(table);
    }
  }
  return [...tables];
}

function tableAround(document: HtmlDocument, part: HtmlElement): HtmlElement | undefined {
  let above = document.parentOf(part);
  while (above !== undefined && above.tag !== "table") above = document.parentOf(above);
  return above;
}

type Choice =
  | {
      readonly tables: readonly HtmlElement[];
      readonly grids: readonly TableGrid[];
      /** Which tables were taken, where some with rows were not: ` (tables 1 and 3 of 4)`. */
      readonly which: string;
    }
  | { readonly problem: string };

/**
 * Of the tables that a selector finds, all that have the required columns. Without columns: the first that is not there for the layout
 * alone, and all with the same header.
 */
export function chooseTables(
  document: HtmlDocument,
  tables: readonly HtmlElement[],
  columns: CompiledFields | undefined,
): Choice {
  const [only, second] = tables;
  if (only === undefined) return { tables: [], grids: [], which: "" };
  // With columns, what a table has in its header says more than what it looks like.
  const real = tables.filter((table) => second === undefined || columns || !isLayout(document, table));
  const all = (real.length > 0 ? real : tables).map((table) => ({
    table,
    grids: readGrids(document, table),
  }));
  const first = all[0]!.grids[0]!;
  const isMeant = columns
    ? (grid: TableGrid) => missingColumn(columns, grid) === undefined
    : (grid: TableGrid) => grid.headers.join("\0") === first.headers.join("\0");
  const taken = all.flatMap(({ table, grids }, index) => {
    const meant = grids.filter(isMeant);
    return meant.length === 0 ? [] : [{ table, grids: meant, number: index + 1 }];
  });
  if (taken.length === 0 && columns) {
    const likely = all.find(({ table }) => !isLayout(document, table))?.grids[0] ?? first;
    return { problem: missingColumn(columns, likely) ?? "" };
  }
  const isWhole = columns !== undefined || taken.length === all.length;
  const numbers = taken.map(({ number }) => number);
  return {
    tables: taken.map(({ table }) => table),
    grids: taken.flatMap(({ grids }) => grids),
    which: isWhole
      ? ""
      : ` (${numbers.length === 1 ? "table" : "tables"} ${listed(numbers)} of ${all.length})`,
  };
}

const listed = (numbers: readonly number[]): string => numbers.join(", ").replace(/, (\d+)$/, " and $1");

/** A table that says so, or that has others in it and no header of its own. */
function isLayout(document: HtmlDocument, table: HtmlElement): boolean {
  const role = document.attr(table, "role")?.toLowerCase();
  if (role === "presentation" || role === "none") return true;
  return document.first(allTables, table) !== undefined && document.first(headerCells, table) === undefined;
}

/** A table without a column that must be there is not the table that was meant; nor is one with none of those that may be. */
function missingColumn({ leaves }: CompiledFields, { headers, columns }: TableGrid): string | undefined {
  const lacks = ({ places }: Field<unknown>): boolean =>
    places.every((place) => place.how === "column" && !columns.has(place.key));
  const all = [...leaves.values()];
  const lacking =
    all.find((field) => field.isRequired && lacks(field)) ?? (all.every(lacks) ? all[0] : undefined);
  if (lacking === undefined) return undefined;
  const has = headers.filter((header) => header !== "").join(", ") || "no header";
  return `the table has no ${lacking.places[0]?.by} (it has ${has})`;
}
