import type { KeptPage } from "../model/capture.ts";

/** What a page is read as. `json` has no elements: selectors find nothing on it. */
export type PageKind = "html" | "xml" | "json";

/** Also `application/xhtml+xml`: browsers read that as XML too. */
const XML_TYPE = /^(?:text|application)\/xml(?:-dtd)?$|\+xml$/;
const JSON_TYPE = /^(?:application|text)\/(?:x-)?(?:json|ndjson|jsonl|jsonlines|json-seq)$|\+json(?:-seq)?$/;

/** Before the root of a document: white space, a byte order mark, a declaration or comment, a doctype without a subset. */
const PROLOG = /(?:[\s\uFEFF]+|<\?[^>]*>|<!--[^]*?-->|<!doctype\b[^>[]*>)*/iy;
/** Roots that no HTML page has: many servers send feeds as `text/html`. */
const XML_ROOT = /<(?:rss|feed|rdf:RDF|urlset|sitemapindex|opml|(?:[\w-]+:)?Envelope)[\s/>]/y;
const HTML_ROOT = /<html[\s/>]/iy;
/** How far the beginning of a page is searched for its root. */
const SNIFFED = 4096;

/**
 * By media type; a page that says nothing or something else is XML when it begins with an XML declaration (and is no `<html>`) or with
 * the root of a feed, a sitemap or a SOAP message.
 */
export function pageKind({ mediaType, text }: Pick<KeptPage, "mediaType" | "text">): PageKind {
  if (XML_TYPE.test(mediaType)) return "xml";
  if (JSON_TYPE.test(mediaType)) return "json";
  const start = text.slice(0, SNIFFED);
  const first = /[^\s\uFEFF]/.exec(start)?.[0];
  if ((first === "{" || first === "[") && !mediaType.includes("html")) return "json";
  return first === "<" && isXml(start) ? "xml" : "html";
}

function isXml(start: string): boolean {
  PROLOG.lastIndex = 0;
  const prolog = PROLOG.exec(start)?.[0] ?? "";
  XML_ROOT.lastIndex = HTML_ROOT.lastIndex = prolog.length;
  if (XML_ROOT.test(start)) return true;
  return /^[\s\uFEFF]*<\?xml\s/.test(start) && !HTML_ROOT.test(start) && !/<!doctype\s+html/i.test(prolog);
}
