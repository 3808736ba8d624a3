import type { HtmlDocument } from "./html-document.ts";
import { compileSelector } from "./selector.ts";

const baseWithHref = compileSelector("base[href]");

/** What relative links on a page are relative to: its first `<base href>`, else its own address. */
export function baseUrlOf(document: HtmlDocument, pageUrl: string): string {
  const base = document.first(baseWithHref);
  const href = base === undefined ? undefined : document.attr(base, "href");
  return href === undefined ? pageUrl : (URL.parse(href, pageUrl)?.href ?? pageUrl);
}
