import type { JsonSource } from "../place.ts";
import type { QueryLists } from "../query-book.ts";
import { JsonScope } from "../scope.ts";
import type { Scope } from "../scope.ts";
import type { JsonEntry } from "./json-path.ts";
import type { JsonPlaces } from "./json-places.ts";
import { queryOf, rootsIn } from "./json-source.ts";

/** JSON that paths begin from. `places` knows where its parts begin, where it is the page itself. */
export interface JsonRoot extends JsonEntry {
  readonly places?: JsonPlaces;
}

/** A script that is a file of its own has no element around it. */
export const isScript = (mediaType: string): boolean =>
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/.test(mediaType);

/** Writes what the source asks of a page into the book, and gives the function that looks up its JSON, most often one. */
export function jsonRoots(source: JsonSource, book: QueryLists): (scope: Scope) => Iterable<JsonRoot> {
  if (source.in === "page")
    return (scope) =>
      scope instanceof JsonScope && source.isOfPage !== true ? [scope.row] : [scope.view.json];
  const isOfPage = source.in !== "element";
  const key = JSON.stringify(source);
  const slot = (isOfPage ? book.page : book.own).add(queryOf(source));
  return function* (scope) {
    if (source.in === "variable" && isScript(scope.view.page.mediaType)) {
      for (const value of rootsIn(source, scope.view.page.text)) yield { value, at: 0 };
      return;
    }
    for (const { text = "", at } of (isOfPage ? scope.page : scope).matches(slot))
      for (const value of scope.view.rootsIn(key, source, text)) yield { value, at };
  };
}
