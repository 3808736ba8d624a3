import type { KeptPage } from "../domain/capture.ts";
import { compileJsonRows } from "../extraction/json/json-source.ts";
import { parsePage } from "../extraction/parse-page.ts";
import { type Each, placesOf } from "../extraction/place.ts";
import { pageLists } from "../extraction/query-lists.ts";
import { PageView, Scope } from "../extraction/scope.ts";
import { compileSelector } from "../extraction/selector.ts";
import type { PageParts } from "./explain-css.ts";

export type PartsOfPage = PageParts & KeptPage;

/** The page once for each of its rows, in their order; without `each` once. */
export const rowsOfPage = (page: KeptPage, each: Each | undefined): readonly PartsOfPage[] => {
  const parts = { ...page, document: parsePage(page) };
  const [place] = each === undefined ? [] : placesOf(each);
  if (place?.how === "css")
    return parts.document.all(compileSelector(place.css)).map((row) => ({ ...parts, row }));
  if (place?.how !== "json") return [parts];
  const lists = pageLists();
  const rowsOf = compileJsonRows(place, lists);
  const rows = rowsOf(new Scope(new PageView(page), lists.page.queries)) ?? [];
  return rows.map((jsonRow) => ({ ...parts, jsonRow }));
};
