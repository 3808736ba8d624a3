import type { Field } from "../extraction/define-field.ts";
import type { HtmlElement } from "../extraction/html-document.ts";
import { compileSelector } from "../extraction/selector.ts";
import { readGrid } from "../extraction/table-grid.ts";
import type { PageParts } from "./explain-css.ts";

/** Where the row stands that makes a table or an `each` malformed; undefined where no row is to blame. */
export const rowPlace = (
  { kind, places }: Field<unknown>,
  why: string | undefined,
  { document, row }: PageParts,
): number | undefined => {
  const number = Number(/^row (\d+), /.exec(why ?? "")?.[1]);
  const [place] = places;
  if (!(number >= 1) || place?.how !== "css" || (kind !== "each" && kind !== "table")) return undefined;
  const found = document.all(compileSelector(place.css), row);
  const element = kind === "each" ? found[number - 1] : rowOfTable(found[0], number);
  return element && document.offsetOf(element);

  function rowOfTable(outer: HtmlElement | undefined, which: number): HtmlElement | undefined {
    if (outer === undefined) return undefined;
    const table = outer.tag === "table" ? outer : document.first(compileSelector("table"), outer);
    return table && readGrid(document, table).rows[which - 1]?.element;
  }
};
