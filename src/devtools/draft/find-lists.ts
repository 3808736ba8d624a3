import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate } from "./candidate.ts";
import { isFurniture } from "./furniture.ts";
import { headingBefore } from "./heading-before.ts";
import { namingClasses, shortSelector } from "./short-selector.ts";

const ITEM_LENGTH = 300;
const MOST_LISTS = 6;
const NAME_WORDS = 4;

/** Lists of short texts that are called something; menus, which are lists of links, are left out. */
export const findLists = (document: HtmlDocument): Candidate[] =>
  document
    .all(compileSelector("ul, ol"))
    .filter((list) => isOfTexts(document, list) && !isFurniture(document, list))
    .flatMap((list): Candidate[] => {
      const items = document.childrenOf(list).filter(({ tag }) => tag === "li");
      const css = shortSelector(document, items);
      const heading = headingBefore(document, list);
      const isName =
        heading !== undefined && heading.split(" ").length <= NAME_WORDS && !/[.!?)]$/.test(heading);
      const label = isName ? heading : ownName(document, list);
      return css === undefined || label === undefined
        ? []
        : [{ label, from: "list", choices: [{ type: "list", place: { css } }], isOptional: true }];
    })
    .slice(0, MOST_LISTS);

const isOfTexts = (document: HtmlDocument, list: HtmlElement): boolean => {
  const items = document.childrenOf(list);
  if (items.length === 0 || document.first(compileSelector("ul, ol, table, form, input"), list)) return false;
  const texts = items.map((item) => document.textOf(item));
  if (texts.some((text) => text === "" || text.length > ITEM_LENGTH)) return false;
  const linked = document.all(compileSelector("a"), list).map((link) => document.textOf(link));
  return linked.join("").length < texts.join("").length / 2;
};

const ownName = (document: HtmlDocument, list: HtmlElement): string | undefined => {
  const parent = document.parentOf(list);
  return namingClasses(document, list)[0] ?? (parent && namingClasses(document, parent)[0]);
};
