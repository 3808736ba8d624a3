import type { KeptPage } from "../domain/capture.ts";
import { type ElementReading, type HtmlDocument, openDocument, parseHtml } from "./html-document.ts";
import { buildXmlTree, XmlElement } from "./xml/xml-tree.ts";

/** A page as a document. If it is XML and not well-formed, the first query throws `FailureError` with `bad-content`. */
export const parsePage = (page: Pick<KeptPage, "mediaType" | "text">): HtmlDocument =>
  pageKind(page) === "xml" ? parseXml(page.text) : parseHtml(page.text);

const parseXml = (text: string): HtmlDocument => openDocument(text, buildXmlTree, xmlReading);

const xmlReading: ElementReading<XmlElement> = {
  textOf: (element) => element.foldedText,
  htmlOf: (element, source) => element.quotedMarkup ?? source,
  attr: (element, name) => element.attributeInAnyCase(name),
  linkOf: (element) => element.link,
};

/** How a page is read. `json` has no elements: selectors find nothing. */
export type PageKind = "html" | "xml" | "json";

/** Includes `application/xhtml+xml`, which browsers parse as XML too. */
const XML_TYPE = /^(?:text|application)\/xml$|\+xml$/;
const JSON_TYPE = /^(?:application|text)\/(?:x-)?(?:json|ndjson|jsonl|jsonlines|json-seq)$|\+json(?:-seq)?$/;

/** What may precede the root: white space, a byte order mark, a declaration or comment, a doctype without a subset. */
const PROLOG = /(?:[\s\uFEFF]+|<\?[^>]*>|<!--[^]*?-->|<!doctype\b[^>[]*>)*/iy;
/** Roots that no HTML page has: many servers send feeds as `text/html`. */
const XML_ROOT = /<(?:rss|feed|rdf:RDF|urlset|sitemapindex|opml|(?:[\w-]+:)?Envelope)[\s/>]/y;
const HTML_ROOT = /<html[\s/>]/iy;
/** Fragments that a server calls HTML, though they begin with an XML declaration. */
const HTML_PIECE =
  /<(?:head|body|div|span|p|a|b|i|br|hr|img|h[1-6]|ul|ol|li|dl|table|tbody|tr|td|form|input|select|option|section|article|main|nav|header|footer|script|style|meta|link|title)[\s/>]/iy;
/** How much of the page is searched for its root. */
const SNIFFED = 4096;

/**
 * By media type. A page of another or no type is XML if it begins with an XML declaration (and its root is not an HTML one), or
 * with the root of a feed, a sitemap or a SOAP message.
 */
export function pageKind({ mediaType, text }: Pick<KeptPage, "mediaType" | "text">): PageKind {
  if (XML_TYPE.test(mediaType)) return "xml";
  if (JSON_TYPE.test(mediaType)) return "json";
  const start = text.slice(0, SNIFFED);
  const first = /[^\s\uFEFF]/.exec(start)?.[0];
  if ((first === "{" || first === "[") && !mediaType.includes("html")) return "json";
  return first === "<" && isXml(start, mediaType.includes("html")) ? "xml" : "html";
}

function isXml(start: string, isCalledHtml: boolean): boolean {
  PROLOG.lastIndex = 0;
  const prolog = PROLOG.exec(start)?.[0] ?? "";
  const isRoot = (pattern: RegExp): boolean => {
    pattern.lastIndex = prolog.length;
    return pattern.test(start);
  };
  if (isRoot(XML_ROOT)) return true;
  if (!/^[\s\uFEFF]*<\?xml\s/.test(start) || /<!doctype\s+html/i.test(prolog)) return false;
  return !isRoot(HTML_ROOT) && !(isCalledHtml && isRoot(HTML_PIECE));
}
