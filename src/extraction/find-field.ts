import type { Field, Found, Take } from "./define-field.ts";
import { foldSpace } from "./folded-text.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";

/** Tries a field's selectors in order: the first that finds a value, else the first that found its place at all. */
export function findField(
  document: HtmlDocument,
  field: Field<unknown>,
  within?: HtmlElement,
): Found | undefined {
  let place: Found | undefined;
  for (const by of field.selectors) {
    const elements = field.take.what === "texts" ? document.all(by, within) : [document.first(by, within)];
    const texts: string[] = [];
    for (const element of elements) {
      const text = element === undefined ? undefined : textTaken(document, element, field.take);
      if (text !== undefined) texts.push(text);
    }
    if (texts.length === 0) continue;
    const found: Found = { texts, by };
    if (texts.some((text) => !field.isPlaceholder(text))) return found;
    place ??= found;
  }
  return place;
}

const LINK_ATTRIBUTES: Readonly<Record<string, string>> = {
  a: "href",
  area: "href",
  link: "href",
  base: "href",
  form: "action",
  object: "data",
  meta: "content",
};

function textTaken(document: HtmlDocument, element: HtmlElement, take: Take): string | undefined {
  switch (take.what) {
    case "text":
    case "texts":
      return document.textOf(element);
    case "attribute":
      return folded(document.attr(element, take.name));
    case "link":
      return folded(document.attr(element, LINK_ATTRIBUTES[element.tag] ?? "src"));
    default:
      return take satisfies never;
  }
}

const folded = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : foldSpace(text);
