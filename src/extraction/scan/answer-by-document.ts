import { foldSpace } from "../folded-text.ts";
import { parseHtml } from "../html-document.ts";
import type { HtmlDocument, HtmlElement } from "../html-document.ts";
import { compileSelector } from "../selector.ts";
import { linkAttributeOf } from "./page-query.ts";
import type { Match, PageQuery, Row, Taken } from "./page-query.ts";

/** What a single pass answers, from a whole tree: slower, and the measure of what is right. */
export function answerByDocument(
  text: string,
  page: readonly (PageQuery | undefined)[],
  each: string | undefined,
  row: readonly (PageQuery | undefined)[],
): { page: (Match[] | undefined)[]; rows: Row[] } {
  const document = parseHtml(text);
  const answer = (query: PageQuery | undefined, within?: HtmlElement): Match[] | undefined =>
    query === undefined ? undefined : matchesOf(document, query, within);
  const rows = each === undefined ? [] : document.all(compileSelector(each));
  return {
    page: page.map((query) => answer(query)),
    rows: rows.map((element) => ({
      at: document.offsetOf(element),
      answers: row.map((query) => answer(query, element)),
    })),
  };
}

function matchesOf(document: HtmlDocument, query: PageQuery, within?: HtmlElement): Match[] {
  const selector = compileSelector(query.css);
  const first = query.isMany ? undefined : document.first(selector, within);
  const elements = query.isMany ? document.all(selector, within) : first === undefined ? [] : [first];
  return elements.map((element) => ({
    text: taken(document, element, query.take),
    at: document.offsetOf(element),
    tag: element.tag,
  }));
}

function taken(document: HtmlDocument, element: HtmlElement, take: Taken): string | undefined {
  if (take === "text") return document.textOf(element);
  if (take === "raw") return document.rawTextOf(element);
  if (take === "html") return document.htmlOf(element);
  const value = document.attr(element, take === "link" ? linkAttributeOf(element.tag) : take.attribute);
  return value === undefined ? undefined : foldSpace(value);
}
