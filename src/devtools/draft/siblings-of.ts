import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";

const tops = new WeakMap<HtmlDocument, readonly HtmlElement[]>();

/** An element and those beside it, in order. Pages may leave out `<html>` and `<body>`: then several stand on top. */
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
