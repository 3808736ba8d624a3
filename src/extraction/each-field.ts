import { type OptionNames, refuseUnknownOptions } from "../domain/known-options.ts";
import type { Field, FieldReading } from "./define-field.ts";
import { ExtractionError } from "./extraction-error.ts";
import {
  type CompiledFields,
  compileFields,
  type Fields,
  type RawFields,
  type RecordOf,
  scopeOf,
  valuesOf,
} from "./fields.ts";
import { checkScope, compileMarker, markerOf, type NoneMarker } from "./find-place.ts";
import { compileJsonRows } from "./json/json-source.ts";
import { type Each, type Place, placesOf } from "./place.ts";
import { listsWithin, type QueryLists } from "./query-lists.ts";
import { Scope } from "./scope.ts";
import { compileSelector } from "./selector.ts";

export interface RowsOptions<T> {
  /** Returns true, or what is wrong with the rows. */
  readonly check?: (rows: readonly T[]) => true | string;
  /** How the site says that it has no rows: a selector or place that is then on the page, or a pattern in its text. */
  readonly none?: NoneMarker;
}

export const ROWS_OPTIONS: OptionNames<RowsOptions<never>> = { check: true, none: true };

export function eachField<const F extends Fields>(
  each: Each,
  fields: F,
  options: RowsOptions<RecordOf<F>> = {},
  isRequired = true,
): Field<readonly RecordOf<F>[]> {
  refuseUnknownOptions(options, ROWS_OPTIONS, "field.each");
  const [place] = placesOf(each);
  if (place === undefined || (place.how !== "css" && place.how !== "json"))
    throw new ExtractionError("bad-spec", `field.each cannot iterate over ${place?.by}: it has no rows`);
  const marker = options.none === undefined ? undefined : markerOf(options.none);
  return Object.freeze({
    kind: "each" as const,
    places: [place],
    isRequired,
    expects: `a list with ${Object.keys(fields).join(", ")}`,
    options,
    rows: fields,
    compile(lists) {
      checkScope(place, lists);
      const rowsOf =
        place.how === "css" ? elementRows(place.css, fields, lists) : jsonRows(place, fields, lists);
      const unavailable = marker && compileMarker(marker, lists);
      return (scope) => {
        let reading: FieldReading<readonly RecordOf<F>[]> = { raw: null, isEmpty: false, value: null };
        const found = rowsOf(scope);
        if (found !== undefined) {
          // The fields make it the row that their types describe.
          const toRow = (row: RawFields): RecordOf<F> => valuesOf(row) as RecordOf<F>;
          const where = { raw: found.raw, by: place.by, at: found.at };
          reading = readingOfRows(found.rows, found.compiled, where, toRow, options.check);
        }
        return reading.value === null && unavailable ? (unavailable(scope, reading) ?? reading) : reading;
      };
    },
    optional: () => eachField(each, fields, options, false),
  } satisfies Field<readonly RecordOf<F>[]>);
}

/** Rows shown in the raw text of a list. */
const SHOWN = 10;

interface Rows {
  readonly rows: readonly ReadRow[];
  readonly compiled: CompiledFields;
  readonly raw: string;
  readonly at: number;
}

type FindRows = (scope: Scope) => Rows | undefined;

function elementRows(css: string, fields: Fields, lists: QueryLists): FindRows {
  const selector = compileSelector(css);
  const own = listsWithin(lists, "element");
  const compiled = compileFields(fields, own);
  return (scope) => {
    const { document } = scope.view;
    const elements = document.all(selector, scope.element);
    const [first] = elements;
    if (first === undefined) return undefined;
    const rows = elements.map((element) => ({
      fields: readRow(compiled, scopeOf(element, scope, own)),
      at: document.offsetOf(element),
    }));
    const shown = elements.slice(0, SHOWN).map((element) => document.textOf(element));
    return { rows, compiled, raw: shown.join(" | "), at: document.offsetOf(first) };
  };
}

function jsonRows(place: Extract<Place, { how: "json" }>, fields: Fields, lists: QueryLists): FindRows {
  const find = compileJsonRows(place, lists);
  const own = listsWithin(lists, "json-row");
  const compiled = compileFields(fields, own);
  return (scope) => {
    const found = find(scope);
    if (found === undefined) return undefined;
    const rows = found.map((row) => ({
      fields: readRow(compiled, new Scope(scope.view, own.own.queries, { page: scope.page, row })),
      at: row.at,
    }));
    const raw = found
      .slice(0, SHOWN)
      .map(({ value }) => JSON.stringify(value))
      .join(" | ");
    return { rows, compiled, raw, at: found[0]?.at ?? 0 };
  };
}

function readRow(compiled: CompiledFields, scope: Scope): RawFields {
  const row: RawFields = {};
  compiled.readInto(scope, row);
  return row;
}

export interface ReadRow {
  readonly fields: RawFields;
  readonly at: number | undefined;
}

/**
 * The rows of a table or an `each` as one value. Rows without any value are left out. A required field that is malformed or missing
 * in any row makes the whole list malformed: a list with gaps would look complete.
 */
export function readingOfRows<T>(
  rows: readonly ReadRow[],
  { leaves }: CompiledFields,
  found: { readonly raw: string; readonly by: string; readonly at: number },
  toRow: (fields: RawFields) => T,
  check: ((rows: readonly T[]) => true | string) | undefined,
): FieldReading<readonly T[]> {
  const values: T[] = [];
  for (const [index, { fields: row, at }] of rows.entries()) {
    if (Object.values(row).every(({ raw, isEmpty }) => raw === null || isEmpty)) continue;
    for (const [name, { isRequired }] of leaves) {
      const leaf = row[name];
      if (!isRequired || leaf === undefined) continue;
      const problem = leaf.problem ?? (leaf.raw === null ? "not found" : undefined);
      if (problem === undefined) continue;
      const why = `row ${index + 1}, ${name}: ${problem}`;
      return { ...found, at: leaf.at ?? at ?? found.at, isEmpty: false, value: null, problem: why };
    }
    values.push(toRow(row));
  }
  if (values.length === 0) return { ...found, isEmpty: true, value: null };
  return { ...found, ...checked(values, check) };
}

function checked<T>(
  values: readonly T[],
  check: ((rows: readonly T[]) => true | string) | undefined,
): { isEmpty: false; value: readonly T[] } | { isEmpty: false; value: null; problem: string } {
  let verdict: unknown = true;
  try {
    verdict = check === undefined || check(values);
  } catch (error) {
    verdict = `its own code failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (verdict === true) return { isEmpty: false, value: values };
  const problem = typeof verdict === "string" ? verdict : "its check did not return true";
  return { isEmpty: false, value: null, problem };
}
