import { foldSpace } from "../folded-text.ts";
import { type HtmlDocument, type HtmlElement, parseHtml } from "../html-document.ts";
import { compileSelector } from "../selector.ts";
import { type Match, type PageQuery, QueryCosts, type Row, type Taken } from "./page-query.ts";

/** Answers the queries of a single pass from the whole tree: slower, and the reference. */
export function answerByDocument(
  text: string,
  page: readonly (PageQuery | undefined)[],
  each: string | undefined,
  row: readonly (PageQuery | undefined)[],
): { page: (Match[] | undefined)[]; rows: Row[] } {
  const document = parseHtml(text);
  const costs = new QueryCosts(text.length);
  const answer = (query: PageQuery | undefined, within?: HtmlElement): Match[] | undefined =>
    query === undefined ? undefined : matchesOf(document, query, costs, within);
  const rows = each === undefined ? [] : document.all(compileSelector(each));
  return {
    page: page.map((query) => answer(query)),
    rows: rows.map((element) => ({
      at: document.offsetOf(element),
      answers: row.map((query) => answer(query, element)),
    })),
  };
}

/** All matches, or the first. */
export function matchesOf(
  document: HtmlDocument,
  query: PageQuery,
  costs: QueryCosts,
  within?: HtmlElement,
): Match[] {
  if (within !== undefined && !costs.spend(query, document.htmlOf(within).length))
    return [tooLong(document, within)];
  const selector = compileSelector(query.css);
  const first = query.isMany ? undefined : document.first(selector, within);
  const elements = query.isMany ? document.all(selector, within) : first === undefined ? [] : [first];
  const takesContent = query.take === "text" || query.take === "raw" || query.take === "html";
  const matches: Match[] = [];
  for (const element of elements) {
    if (takesContent && !costs.spend(query, document.htmlOf(element).length))
      return [...matches, tooLong(document, element)];
    const text = takeFrom(document, element, query.take);
    matches.push({ text, at: document.offsetOf(element), tag: element.tag });
  }
  return matches;
}

const tooLong = (document: HtmlDocument, element: HtmlElement): Match => ({
  text: undefined,
  at: document.offsetOf(element),
  tag: element.tag,
  isTooLong: true,
});

/** What a query takes from a matched element of the document. */
export function takeFrom(document: HtmlDocument, element: HtmlElement, take: Taken): string | undefined {
  if (take === "text") return document.textOf(element);
  if (take === "raw") return document.rawTextOf(element);
  if (take === "html") return document.htmlOf(element);
  const text = take === "link" ? document.linkOf(element) : document.attr(element, take.attribute);
  return text === undefined ? undefined : foldSpace(text);
}
