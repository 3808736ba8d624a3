import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";

const TAGS = new Set(["nav", "footer", "aside"]);
const NAMES =
  /(?:^|[-_\s])(?:nav|navbar|navigation|menu|footer|breadcrumbs?|sidebar|cookies?|consent|comments?|respond|share|social|related|carousel|newsletter|popup|modal|ads?|advert|widget|pagination|toc)(?:$|[-_\s])/i;
/** On top of the page they are the site's; inside of an article they are its own. */
const TOPS = /(?:^|[-_\s])(?:header|banner|masthead|top|topbar)(?:$|[-_\s])/i;

/** Whether an element belongs to what a site repeats on every page: menus, banners, footers, comments. */
export const isFurniture = (document: HtmlDocument, element: HtmlElement): boolean => {
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
