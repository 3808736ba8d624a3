import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { siblingsOf } from "./siblings-of.ts";

const HEADING = /^(?:h[1-6]|caption|legend|dt)$/;
const REACH = 3;
const LENGTH = 60;

/** What a table or list is called: by a caption in it, or the nearest heading before it. */
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
