import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { ValueDraft } from "./field-draft.ts";
import type { PageStyle } from "./page-style.ts";

const LINK = compileSelector("a[href]");

/** Where the only link of an element leads. */
export const linkIn = (document: HtmlDocument, element: HtmlElement): string | undefined => {
  const links = element.tag === "a" ? [element] : document.all(LINK, element);
  const href = links[0] && document.attr(links[0], "href");
  return links.length === 1 ? href?.trim() : undefined;
};

const ADDRESS = /^(?:https?:\/\/|www\.)\S+$|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:\/\S*)?$/i;
const WEB_LABEL = /\b(?:web|website|homepage|home page|url|link|internet|sito|página web)\b/i;

/** What a value is by its link; undefined where the link is beside the point, as that from an owner to a search is. */
export const kindOfLink = (
  href: string | undefined,
  text: string,
  label: string,
  { country }: PageStyle,
): Omit<ValueDraft, "place"> | undefined => {
  if (href === undefined) return /^https?:\/\/\S+$/i.test(text) ? { type: "url" } : undefined;
  if (/^mailto:/i.test(href)) return { type: "email" };
  if (/^tel:/i.test(href)) return { type: "phone", options: { country } };
  if (/^(?:#|javascript:)/i.test(href)) return undefined;
  return ADDRESS.test(text) || WEB_LABEL.test(label) ? { type: "url" } : undefined;
};
