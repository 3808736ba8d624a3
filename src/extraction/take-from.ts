import { foldSpace } from "./folded-text.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import type { Taken } from "./scan/page-query.ts";

/** What a query takes from an element it matched, asked of the document. */
export function takeFrom(document: HtmlDocument, element: HtmlElement, take: Taken): string | undefined {
  if (take === "text") return document.textOf(element);
  if (take === "raw") return document.rawTextOf(element);
  if (take === "html") return document.htmlOf(element);
  const text = take === "link" ? document.linkOf(element) : document.attr(element, take.attribute);
  return text === undefined ? undefined : foldSpace(text);
}
