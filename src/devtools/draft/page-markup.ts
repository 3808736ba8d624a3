import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";

const TAGS = new Set(["nav", "footer", "aside"]);
const NAMES =
  /(?:^|[-_\s])(?:nav|navbar|navigation|menu|footer|breadcrumbs?|sidebar|cookies?|consent|comments?|respond|share|social|related|carousel|newsletter|popup|modal|ads?|advert|widget|pagination|toc)(?:$|[-_\s])/i;
/** At the top of the page they belong to the site, inside an article to the article. */
const TOPS = /(?:^|[-_\s])(?:header|banner|masthead|top|topbar)(?:$|[-_\s])/i;

/** Whether an element belongs to what a site repeats on every page: menus, banners, footers, comments. */
export const isBoilerplate = (document: HtmlDocument, element: HtmlElement): boolean => {
  let isOnTop = false;
  for (let at: HtmlElement | undefined = element; at !== undefined; at = document.parentOf(at)) {
    if (at.tag === "main" || at.tag === "article") return false;
    if (at.tag === "body") break;
    const names = `${document.attr(at, "id") ?? ""} ${document.attr(at, "class") ?? ""}`;
    if (TAGS.has(at.tag) || NAMES.test(names)) return true;
    isOnTop ||= at.tag === "header" || TOPS.test(names);
  }
  return isOnTop;
};

const tops = new WeakMap<HtmlDocument, readonly HtmlElement[]>();

/** An element and its siblings, in order. Pages may omit `<html>` and `<body>`, and then have several top elements. */
export const siblingsOf = (document: HtmlDocument, element: HtmlElement): readonly HtmlElement[] => {
  const parent = document.parentOf(element);
  return parent === undefined ? topOf(document) : document.childrenOf(parent);
};

const topOf = (document: HtmlDocument): readonly HtmlElement[] => {
  const known = tops.get(document);
  if (known !== undefined) return known;
  const top = document
    .all(compileSelector("*"))
    .filter((element) => document.parentOf(element) === undefined);
  tops.set(document, top);
  return top;
};

const HEADING = /^(?:h[1-6]|caption|legend|dt)$/;
const REACH = 3;
const LENGTH = 60;

/** The name of a table or list: its caption, or the nearest heading before it. */
export const headingBefore = (document: HtmlDocument, element: HtmlElement): string | undefined => {
  const caption = document.childrenOf(element).find(({ tag }) => tag === "caption");
  if (caption !== undefined) return short(document.textOf(caption));
  let at: HtmlElement | undefined = element;
  for (let height = 0; at !== undefined && height < REACH; height++) {
    const siblings = siblingsOf(document, at);
    const heading = siblings.slice(0, siblings.indexOf(at)).findLast(({ tag }) => HEADING.test(tag));
    if (heading !== undefined) return short(document.textOf(heading));
    at = document.parentOf(at);
  }
  return undefined;
};

const short = (text: string): string | undefined => (text !== "" && text.length <= LENGTH ? text : undefined);
