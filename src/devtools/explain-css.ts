import type { HtmlDocument, HtmlElement } from "../extraction/html-document.ts";
import type { JsonRoot } from "../extraction/json/json-source.ts";
import { compileSelector } from "../extraction/selector.ts";
import { explainSelector } from "./explain-selector.ts";

/** Something on the page that is worth a look, with where it begins. */
interface Pointer {
  readonly text: string;
  readonly at: number;
}

/** Why a place finds nothing. */
export interface PlaceTrail {
  readonly reason: string;
  /** How far it gets. */
  readonly reached?: Pointer;
  readonly hints: readonly Pointer[];
}

export interface PageParts {
  readonly text: string;
  readonly document: HtmlDocument;
  readonly mediaType: string;
  /** The element of the record, where a page has many. */
  readonly row?: HtmlElement;
  /** Or its entry of a list, where the page is JSON. */
  readonly jsonRow?: JsonRoot;
}

/** Undefined where the selector, and the attribute if one is wanted, are there. */
export const explainCss = (
  css: string,
  attribute: string | undefined,
  { document }: PageParts,
  within?: HtmlElement,
): PlaceTrail | undefined => {
  const trail = explainSelector(document, css, within);
  const point = (text: string, element: HtmlElement): Pointer => ({ text, at: document.offsetOf(element) });
  if (trail === undefined) {
    const element = document.first(compileSelector(css), within);
    if (attribute === undefined || element === undefined) return undefined;
    const reason = `\`${css}\` is there, but it has no attribute \`${attribute}\``;
    return { reason, reached: point(css, element), hints: [] };
  }
  return {
    reason: trail.reason,
    ...(trail.reached && { reached: point("this is as far as it gets", trail.reached) }),
    hints: trail.hints.map(({ text, element }) => point(text, element)),
  };
};
