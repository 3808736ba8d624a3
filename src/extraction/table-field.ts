import { type OptionNames, refuseUnknownOptions } from "../domain/known-options.ts";
import { withoutNuls } from "../domain/record.ts";
import type { Field, FieldReading } from "./define-field.ts";
import { readingOfRows, type ReadRow, ROWS_OPTIONS, type RowsOptions } from "./each-field.ts";
import {
  type CompiledFields,
  compileFields,
  type Fields,
  type RawFields,
  type RecordOf,
  valuesOf,
} from "./fields.ts";
import { checkScope, compileMarker, markerOf } from "./find-place.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { placesOf } from "./place.ts";
import { listsWithin, type QueryLists } from "./query-lists.ts";
import { placeholders } from "./reading/placeholders.ts";
import { Scope } from "./scope.ts";
import { compileSelector } from "./selector.ts";
import { readGrids, type TableGrid } from "./table-grid.ts";

/** A row of a table without `columns`: header to text. */
type TextRow = Readonly<Record<string, string | null>>;

/** Without columns, C is never. */
export type TableRowOf<C extends Fields> = [C] extends [never] ? TextRow : RecordOf<C>;

export interface TableOptions<C extends Fields> extends RowsOptions<TableRowOf<C>> {
  /** By name, each with `by.column("…")`; other places are relative to the row. Without it, rows are texts by header. */
  readonly columns?: C;
}

const TABLE_OPTIONS: OptionNames<TableOptions<Fields>> = { ...ROWS_OPTIONS, columns: true };

export function tableField<C extends Fields>(
  css: string | readonly string[],
  options: TableOptions<C>,
  isRequired = true,
): Field<readonly TableRowOf<C>[]> {
  refuseUnknownOptions(options, TABLE_OPTIONS, "field.table");
  const places = placesOf([css].flat());
  const selectors = [css].flat().map(compileSelector);
  const marker = options.none === undefined ? undefined : markerOf(options.none);
  const { columns, check } = options;
  // The fields, or their absence, make it the row that its type describes.
  const toRow = (columns === undefined ? textRow : valuesOf) as (row: RawFields) => TableRowOf<C>;
  return Object.freeze({
    kind: "table" as const,
    places,
    isRequired,
    expects: `a table${columns === undefined ? "" : ` with ${Object.keys(columns).join(", ")}`}`,
    options,
    ...(columns && { rows: columns }),
    compile(lists: QueryLists) {
      for (const place of places) checkScope(place, lists);
      const own = listsWithin(lists, "table-row");
      const compiled = columns && compileFields(columns, own);
      const unavailable = marker && compileMarker(marker, lists);
      return (scope: Scope): FieldReading<readonly TableRowOf<C>[]> => {
        const { document } = scope.view;
        let reading: FieldReading<readonly TableRowOf<C>[]> = { raw: null, isEmpty: false, value: null };
        for (const selector of selectors) {
          const tables = tablesAt(document, document.all(selector, scope.element));
          const chosen = chooseTables(document, tables, compiled);
          if ("problem" in chosen) {
            reading =
              reading.problem === undefined && reading.raw === null ? { ...reading, ...chosen } : reading;
            continue;
          }
          const [first] = chosen.tables;
          if (first === undefined) continue;
          const rows = chosen.grids.flatMap((grid) =>
            compiled === undefined ? textRows(grid, scope) : typedRows(grid, scope, compiled, own),
          );
          const raw = chosen.tables.slice(0, SHOWN).map((table) => document.textOf(table));
          const found = {
            raw: withoutNuls(raw.join(" | ")),
            by: selector.css + chosen.which,
            at: document.offsetOf(first),
          };
          const read = readingOfRows(rows, compiled ?? NO_FIELDS, found, toRow, check);
          if (reading.raw === null || !read.isEmpty) reading = read;
          if (!read.isEmpty) break;
        }
        return reading.value === null && unavailable ? (unavailable(scope, reading) ?? reading) : reading;
      };
    },
    optional: () => tableField(css, options, false),
  });
}

/** Tables shown in the raw text. */
const SHOWN = 10;
const NO_FIELDS: CompiledFields = { leaves: new Map(), readInto: () => undefined };
const isPlaceholder = placeholders("words");

function textRows({ headers, rows }: TableGrid, { view: { document } }: Scope): ReadRow[] {
  const names = withoutNuls(headers).map((header, at) => (header === "" ? `column ${at + 1}` : header));
  return rows.map(({ element, cells }) => {
    const row: RawFields = {};
    for (const [at, name] of names.entries()) {
      const cell = cells[at];
      const text = cell === undefined ? null : withoutNuls(document.textOf(cell));
      const isEmpty = text !== null && isPlaceholder(text);
      const entry = { raw: text, isEmpty, value: isEmpty ? null : text };
      // Of two columns with the same header, the first keeps the name.
      const free = Object.hasOwn(row, name) ? `${name} (${at + 1})` : name;
      Object.defineProperty(row, free, {
        value: entry,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return { fields: row, at: document.offsetOf(element) };
  });
}

/** By header as written: dots in it are part of the name. */
const textRow = (row: RawFields): unknown =>
  Object.fromEntries(Object.entries(row).map(([name, { value }]) => [name, value]));

function typedRows(grid: TableGrid, scope: Scope, compiled: CompiledFields, lists: QueryLists): ReadRow[] {
  return grid.rows.map(({ element, cells }) => {
    const byKey = new Map<string, HtmlElement>();
    for (const [key, column] of grid.columns) {
      const cell = cells[column];
      if (cell !== undefined) byKey.set(key, cell);
    }
    const row: RawFields = {};
    compiled.readInto(
      new Scope(scope.view, lists.own.queries, {
        page: scope.page,
        findElement: () => element,
        cells: byKey,
      }),
      row,
    );
    return { fields: row, at: scope.view.document.offsetOf(element) };
  });
}

const allTables = compileSelector("table");
const headerCells = compileSelector("> tr > th, > thead, > tbody > tr > th, > caption");
const PARTS = new Set(["thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup"]);

/** The tables that the matches are, contain, or are part of; each once, in document order. */
function tablesAt(document: HtmlDocument, matches: readonly HtmlElement[]): readonly HtmlElement[] {
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
      /** Which tables were used, if not all: ` (tables 1 and 3 of 4)`. */
      readonly which: string;
    }
  | { readonly problem: string };

/**
 * Of the tables that a selector finds, all that have the required columns. Without columns: the first that is not only for layout,
 * and all with the same header.
 */
function chooseTables(
  document: HtmlDocument,
  tables: readonly HtmlElement[],
  columns: CompiledFields | undefined,
): Choice {
  const [only, second] = tables;
  if (only === undefined) return { tables: [], grids: [], which: "" };
  // With columns, the header decides, not the looks of the table.
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

/** A table marked as layout, or one that contains tables and has no header. */
function isLayout(document: HtmlDocument, table: HtmlElement): boolean {
  const role = document.attr(table, "role")?.toLowerCase();
  if (role === "presentation" || role === "none") return true;
  return document.first(allTables, table) !== undefined && document.first(headerCells, table) === undefined;
}

/** A table without a required column is not the right one; nor is one with none of the optional columns. */
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
