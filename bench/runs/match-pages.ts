/** Extracts the county page's fields as Sluice does: in a single pass, or from the document. */
import { parseHtml } from "../../src/extraction/html-document.ts";
import { compileStream } from "../../src/extraction/scan/stream-matcher.ts";
import type { PageQuery } from "../../src/extraction/scan/page-query.ts";
import { compileSelector } from "../../src/extraction/selector.ts";
import { FIELDS } from "../site/fields.ts";
import { timePages } from "../site/timed-pages.ts";

export interface MatchTask {
  /** "whole": a query without an answer keeps the pass from ending before the page does. */
  readonly way: "stream" | "whole" | "document";
}

const { way } = JSON.parse(process.argv[2] ?? "") as MatchTask;

const fieldQueries = Object.values(FIELDS).map((css): PageQuery => ({ css, take: "text", isMany: false }));
const nowhere: PageQuery = { css: "#nowhere", take: "text", isMany: false };
const matcher = compileStream({ page: way === "whole" ? [...fieldQueries, nowhere] : fieldQueries });
const selectors = Object.values(FIELDS).map((css) => compileSelector(css));

const streamed = (text: string): string[] => {
  const { page } = matcher.run(text);
  return selectors.map((_, at) => page[at]?.[0]?.text ?? "");
};
const fromDocument = (text: string): string[] => {
  const document = parseHtml(text);
  return selectors.map((selector) => {
    const element = document.first(selector);
    return element === undefined ? "" : document.textOf(element);
  });
};

console.log(JSON.stringify(timePages(way === "document" ? fromDocument : streamed)));
