import type { HtmlElement } from "../extraction/html-document.ts";
import { labelKey } from "../extraction/labels/label-index.ts";
import type { Place } from "../extraction/place.ts";
import { compileSelector } from "../extraction/selector.ts";
import { explainCss, type PageParts, type PlaceTrail } from "./explain-css.ts";
import { explainJson } from "./explain-json.ts";
import { similarNames } from "../domain/known-options.ts";

/** For a place that finds no value; undefined where nothing can be said beyond that. */
export const explainPlace = (place: Place, parts: PageParts): PlaceTrail | undefined => {
  switch (place.how) {
    case "css":
      return explainCss(place.css, place.attribute, parts, place.isOfPage ? undefined : parts.row);
    case "label":
      return explainLabel(place, parts);
    case "regex":
      return explainRegex(place, parts);
    case "json":
      return explainJson(place, parts);
    case "column":
      return { reason: `no column is headed so: ${place.by}`, hints: [] };
    case "given":
      return undefined;
    default:
      return place satisfies never;
  }
};

const LABELS = "th, td, dt, label, legend, span, b, strong, em, p, div, li, h1, h2, h3, h4, h5, h6";
const LONGEST_LABEL = 60;

const explainLabel = (
  { by, key, within }: Extract<Place, { how: "label" }>,
  parts: PageParts,
): PlaceTrail | undefined => {
  const { document, row } = parts;
  const outer = within === undefined ? row : document.first(compileSelector(within), row);
  if (within !== undefined && outer === undefined) return explainCss(within, undefined, parts, row);
  const labels = new Map<string, HtmlElement>();
  for (const element of document.all(compileSelector(LABELS), outer)) {
    const text = document.textOf(element);
    // The innermost element that says it is the one to show: it comes last.
    if (text !== "" && text.length <= LONGEST_LABEL) labels.set(labelKey(text), element);
  }
  const own = labels.get(key);
  if (own !== undefined)
    return {
      reason: `${by} is there, but no value stands beside or below it`,
      reached: { text: "the label", at: document.offsetOf(own) },
      hints: [],
    };
  return {
    reason: `no ${by}${within === undefined ? " on the page" : ` in \`${within}\``}`,
    hints: similarNames(key, labels.keys()).map((label) => {
      const element = labels.get(label)!;
      return { text: `similar: "${document.textOf(element)}"`, at: document.offsetOf(element) };
    }),
  };
};

const explainRegex = (
  { by, pattern, within }: Extract<Place, { how: "regex" }>,
  parts: PageParts,
): PlaceTrail | undefined => {
  const { document, row, text } = parts;
  const outer = within === undefined ? row : document.first(compileSelector(within), row);
  if (within !== undefined && outer === undefined) return explainCss(within, undefined, parts, row);
  const words = /^\^?(?:\\b)?([\p{Letter}\p{Number} ,'-]{3,})/u.exec(pattern.source)?.[1]?.trimEnd();
  const at = words === undefined ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  return {
    reason: `${by} matches nothing in the text ${within === undefined ? "of the page" : `of \`${within}\``}`,
    hints: at < 0 ? [] : [{ text: `"${words}" is here`, at }],
  };
};
