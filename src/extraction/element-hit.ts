import type { Hit } from "./hit.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { compileSelector } from "./selector.ts";
import { takeFrom } from "./take-from.ts";
import type { Taking } from "./taking.ts";

const LINKS = new Set(["a", "area"]);
const links = compileSelector("a[href], area[href]");

/**
 * What a field takes from a cell that was found by its label or header: a link may stand anywhere inside of it. An image is no
 * link: many a blank cell has one to keep its width.
 */
export function elementHit(document: HtmlDocument, element: HtmlElement, { takes, pick }: Taking): Hit {
  const at = document.offsetOf(element);
  const texts = takes.map((take) => {
    const own = take === "link" && !LINKS.has(element.tag) ? undefined : takeFrom(document, element, take);
    if (own !== undefined || take === "text" || take === "raw" || take === "html") return own;
    const below = document.first(take === "link" ? links : compileSelector(`[${take.attribute}]`), element);
    return below && takeFrom(document, below, take);
  });
  const text = pick === undefined ? texts[0] : pick(texts);
  // A cell without a link has its text: an address may be written out.
  return text === undefined && takes[0] === "link"
    ? { text: document.textOf(element), at, isProse: true }
    : { text, at };
}
