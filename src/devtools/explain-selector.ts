import { isTraversal, parse, type Selector as Token, SelectorType, stringify } from "css-what";
import { similarNames } from "../domain/known-options.ts";
import type { HtmlDocument, HtmlElement } from "../extraction/html-document.ts";
import type { JsonRoot } from "../extraction/json/json-source.ts";
import { compileSelector } from "../extraction/selector.ts";

/** How far a selector matches on a page where it finds nothing. */
interface SelectorTrail {
  /** In words: what still matches, and what is missing. */
  readonly reason: string;
  /** The last element that still matches; undefined if not even the first part matches. */
  readonly reached: HtmlElement | undefined;
  readonly hints: readonly SelectorHint[];
}

interface SelectorHint {
  readonly text: string;
  readonly element: HtmlElement;
}

/** For a selector that matches nothing below `within`; undefined if it does match. */
export const explainSelector = (
  document: HtmlDocument,
  css: string,
  within?: HtmlElement,
): SelectorTrail | undefined => {
  // Of several alternatives, explain the one that matches furthest.
  const ways = parse(css).map((tokens) => ({ tokens, length: reach(document, tokens, within) }));
  if (ways.some(({ tokens, length }) => length === tokens.length)) return undefined;
  const [best] = ways.sort((a, b) => b.length / b.tokens.length - a.length / a.tokens.length);
  return best && trailOf(document, best.tokens, best.length, within);
};

/** How many leading tokens still match something together. */
const reach = (document: HtmlDocument, tokens: readonly Token[], within?: HtmlElement): number => {
  for (let length = tokens.length; length > 0; length--) {
    if (isTraversal(tokens[length - 1]!)) continue;
    if (find(document, tokens.slice(0, length), within) !== undefined) return length;
  }
  return 0;
};

const textOf = (tokens: readonly Token[]): string => stringify([[...tokens]]).trim();

const find = (
  document: HtmlDocument,
  tokens: readonly Token[],
  within?: HtmlElement,
): HtmlElement | undefined => document.first(compileSelector(textOf(tokens)), within);

const trailOf = (
  document: HtmlDocument,
  tokens: readonly Token[],
  length: number,
  within: HtmlElement | undefined,
): SelectorTrail => {
  const found = tokens.slice(0, length);
  const rest = tokens.slice(length);
  const [next] = rest;
  const isStep = next !== undefined && isTraversal(next);
  const failing = isStep ? rest[1] : next;
  const lacking = failing === undefined ? "" : textOf([failing]);
  const matches = length === 0 ? [] : document.all(compileSelector(textOf(found)), within);
  return {
    reason: reasonOf(found, matches.length, isStep ? next : undefined, lacking, within !== undefined),
    reached: matches[0],
    hints:
      failing === undefined ? [] : hintsFor(document, failing, isStep ? rest.slice(1) : [], found, within),
  };
};

const BESIDE: Readonly<Record<string, string>> = {
  descendant: "nothing inside",
  child: "no child of",
  adjacent: "nothing right after",
  sibling: "nothing after",
};

const reasonOf = (
  found: readonly Token[],
  count: number,
  step: Token | undefined,
  lacking: string,
  isInRow: boolean,
): string => {
  if (count === 0) return `nothing ${isInRow ? "in the row" : "on the page"} matches \`${lacking}\``;
  const before = `\`${textOf(found)}\` ${count === 1 ? "is there" : `is there ${count} times`}`;
  if (step === undefined)
    return `${before}, but ${count === 1 ? "it is not" : "none of them is"} \`${lacking}\``;
  return `${before}, but ${BESIDE[step.type] ?? "nothing at"} ${count === 1 ? "it" : "them"} matches \`${lacking}\``;
};

const hintsFor = (
  document: HtmlDocument,
  failing: Token,
  rest: readonly Token[],
  found: readonly Token[],
  within: HtmlElement | undefined,
): SelectorHint[] => {
  const elsewhere = found.length === 0 ? undefined : find(document, rest.length > 0 ? rest : [failing]);
  if (elsewhere !== undefined && rest.length > 0)
    return [{ text: `\`${textOf(rest)}\` is elsewhere on the page`, element: elsewhere }];
  const inRow = within === undefined ? undefined : find(document, [failing]);
  const hints = similarOnes(document, failing);
  return inRow === undefined
    ? hints
    : [{ text: `\`${textOf([failing])}\` is outside the row`, element: inRow }, ...hints];
};

/** Ids, classes and values on the page that are similar to the missing one. */
const similarOnes = (document: HtmlDocument, failing: Token): SelectorHint[] => {
  if (failing.type === SelectorType.Tag) return sameButForm(document, failing.name);
  if (failing.type !== SelectorType.Attribute || failing.value === "") return [];
  const { name, value } = failing;
  const isName = name === "id" || name === "class";
  const known = new Map<string, HtmlElement>();
  for (const attribute of isName ? ["id", "class"] : [name]) {
    for (const element of document.all(compileSelector(`[${attribute}]`))) {
      const text = document.attr(element, attribute) ?? "";
      const all = attribute === "class" ? text.split(/\s+/) : [text];
      for (const one of all) {
        const selector = selectorOf(attribute, one);
        if (one !== "" && !known.has(selector)) known.set(selector, element);
      }
    }
  }
  return similarNames(
    value,
    [...known.keys()].map((selector) => nameIn(selector)),
  )
    .flatMap((one) => (isName ? [selectorOf("id", one), selectorOf("class", one)] : [selectorOf(name, one)]))
    .flatMap((selector) => {
      const element = known.get(selector);
      return element === undefined ? [] : [{ text: `similar: \`${selector}\``, element }];
    });
};

/** XML tells `pubDate` from `pubdate`, and `dc:creator` from `creator`. */
const sameButForm = (document: HtmlDocument, name: string): SelectorHint[] => {
  const bare = (tag: string): string => tag.slice(tag.indexOf(":") + 1).toLowerCase();
  const known = new Map<string, HtmlElement>();
  for (const element of document.all(compileSelector("*")))
    if (bare(element.tag) === bare(name) && element.tag !== name && !known.has(element.tag))
      known.set(element.tag, element);
  return [...known].map(([tag, element]) => ({ text: `similar: \`${tag.replace(":", "|")}\``, element }));
};

const selectorOf = (attribute: string, name: string): string =>
  attribute === "id" ? `#${name}` : attribute === "class" ? `.${name}` : `[${attribute}="${name}"]`;

const nameIn = (selector: string): string => /^\[[^=]+="(.*)"\]$/s.exec(selector)?.[1] ?? selector.slice(1);

/** Something on the page that may help, with its offset. */
interface Pointer {
  readonly text: string;
  readonly at: number;
}

/** Why a place finds nothing. */
export interface PlaceTrail {
  readonly reason: string;
  /** How far it matches. */
  readonly reached?: Pointer;
  readonly hints: readonly Pointer[];
}

export interface PageParts {
  readonly text: string;
  readonly document: HtmlDocument;
  readonly mediaType: string;
  /** The element of the record, if a page has many records. */
  readonly row?: HtmlElement;
  /** Its entry in a list, if the page is JSON. */
  readonly jsonRow?: JsonRoot;
}

/** Undefined if the selector, and the attribute if one is wanted, match. */
export const explainCss = (
  css: string,
  attribute: string | undefined,
  { document }: PageParts,
  within?: HtmlElement,
): PlaceTrail | undefined => {
  const trail = explainSelector(document, css, within);
  const point = (text: string, element: HtmlElement): Pointer => ({ text, at: document.offsetOf(element) });
  if (trail === undefined) {
    const element = document.first(compileSelector(css), within);
    if (attribute === undefined || element === undefined) return undefined;
    const reason = `\`${css}\` is there, but it has no attribute \`${attribute}\``;
    return { reason, reached: point(css, element), hints: [] };
  }
  return {
    reason: trail.reason,
    ...(trail.reached && { reached: point("this is the last part that matches", trail.reached) }),
    hints: trail.hints.map(({ text, element }) => point(text, element)),
  };
};
