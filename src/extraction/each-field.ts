import { type OptionNames, refuseUnknownOptions } from "../model/known-options.ts";
import type { Field, FieldReading } from "./define-field.ts";
import { compileFields, scopeOf, valuesOf } from "./fields.ts";
import type { Fields, RawFields, RecordOf } from "./fields.ts";
import { compileMarker, markerOf } from "./none-marker.ts";
import type { NoneMarker } from "./none-marker.ts";
import { by } from "./place.ts";
import { bookWithin } from "./query-book.ts";
import { readingOfRows } from "./row-readings.ts";
import { compileSelector } from "./selector.ts";

export interface RowsOptions<T> {
  /** Says true, or what is wrong with the rows. */
  readonly check?: (rows: readonly T[]) => true | string;
  /** How the site says that it has none: a selector or place that is then on the page, or a pattern in its text. */
  readonly none?: NoneMarker;
}

export const ROWS_OPTIONS: OptionNames<RowsOptions<never>> = { check: true, none: true };

export function eachField<const F extends Fields>(
  css: string,
  fields: F,
  options: RowsOptions<RecordOf<F>> = {},
  isRequired = true,
): Field<readonly RecordOf<F>[]> {
  refuseUnknownOptions(options, ROWS_OPTIONS, "field.each");
  const selector = compileSelector(css);
  const marker = options.none === undefined ? undefined : markerOf(options.none);
  return Object.freeze({
    kind: "each" as const,
    places: [by.css(css)],
    isRequired,
    expects: `a list with ${Object.keys(fields).join(", ")}`,
    compile(book) {
      const own = bookWithin(book, "element");
      const compiled = compileFields(fields, own);
      const unavailable = marker && compileMarker(marker, book);
      return (scope) => {
        const { document } = scope.view;
        const elements = document.all(selector, scope.element);
        const [first] = elements;
        let reading: FieldReading<readonly RecordOf<F>[]> = { raw: null, isEmpty: false, value: null };
        if (first !== undefined) {
          const rows = elements.map((element) => {
            const row: RawFields = {};
            compiled.readInto(scopeOf(element, scope, own), row);
            return row;
          });
          const raw = elements
            .slice(0, SHOWN)
            .map((element) => document.textOf(element))
            .join(" | ");
          const found = { raw, by: css, at: document.offsetOf(first) };
          // The fields themselves make it the row that their types say.
          const toRow = (row: RawFields): RecordOf<F> => valuesOf(row) as RecordOf<F>;
          reading = readingOfRows(rows, compiled, found, toRow, options.check);
        }
        return reading.value === null && unavailable ? (unavailable(scope, reading) ?? reading) : reading;
      };
    },
    optional: () => eachField(css, fields, options, false),
  } satisfies Field<readonly RecordOf<F>[]>);
}

/** How many rows are shown in the raw text of a list. */
const SHOWN = 10;
