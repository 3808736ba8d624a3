import type { FieldReading } from "./define-field.ts";
import { compilePlace } from "./find-place.ts";
import type { Hit } from "./hit.ts";
import { by, placeOf } from "./place.ts";
import type { Place } from "./place.ts";
import type { QueryLists } from "./query-book.ts";
import { quoted } from "./reading/quoted.ts";
import type { Scope } from "./scope.ts";
import { allText } from "./visible-text.ts";

/** How a site says that it has no value: a CSS selector, a place, or a pattern in its text. */
export type NoneMarker = string | Place | RegExp;

/** Throws `SelectorError`. */
export const markerOf = (marker: NoneMarker): Place =>
  marker instanceof RegExp ? by.regex(marker) : placeOf(marker);

/** Turns what was not found or not read into "the site has none" where the marker is. */
export function compileMarker(
  marker: Place,
  book: QueryLists,
): (scope: Scope, reading: FieldReading<unknown>) => FieldReading<never> | undefined {
  const find =
    marker.how === "regex" && marker.within === undefined
      ? undefined
      : compilePlace(marker, { takes: ["text"], isMany: false, jsonAs: "text" }, book);

  return (scope, { raw, at }) => {
    // The whole text of a page is asked for only when a field is not there: it is not worth a place in the scan.
    const hit =
      find === undefined && marker.how === "regex"
        ? inText(marker.pattern, raw ?? allText(scope)?.text, at)
        : find?.(scope)[0];
    if (hit === undefined) return undefined;
    return {
      raw: raw ?? hit.text ?? "",
      by: marker.by,
      ...(hit.at === undefined ? {} : { at: hit.at }),
      isEmpty: true,
      value: null,
      unavailable: quoted(hit.text ?? marker.by),
    };
  };
}

/** Where in a page's text it stands is not where it stands in its source: then there is no `at`. */
function inText(pattern: RegExp, text = "", at?: number): Hit | undefined {
  pattern.lastIndex = 0;
  const match = pattern.exec(text);
  return match === null ? undefined : { text: match[0], at };
}
