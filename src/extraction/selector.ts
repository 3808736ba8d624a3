import { _compileUnsafe } from "css-select";
import type { Options } from "css-select";
import { cssAdapter } from "./css-adapter.ts";
import type { TreeNode } from "./css-adapter.ts";
import { TreeElement } from "./html-tree.ts";
import type { HtmlTree } from "./html-tree.ts";
import { planSearch } from "./search-plan.ts";
import type { SearchPlan } from "./search-plan.ts";
import { localName, withPrefixes } from "./selector-prefix.ts";
import { SelectorError } from "./selector-error.ts";

/** A CSS selector, checked and compiled; opaque to everyone but the document that runs it. */
export interface Selector {
  readonly css: string;
}

/** Visits matches in document order until `visit` returns false. */
type Search = (tree: HtmlTree, within: TreeElement, visit: (element: TreeElement) => boolean) => void;

class CompiledSelector implements Selector {
  readonly css: string;
  readonly search: Search;

  constructor(css: string) {
    this.css = css;
    this.search = compileSearch(css);
  }
}

// Scraper code may build selectors from its input; a million of them must not stay.
const CACHE_SIZE = 1000;
const cache = new Map<string, CompiledSelector>();

/** Throws `SelectorError` when the selector cannot be read. */
export function compileSelector(css: string): Selector {
  const known = cache.get(css);
  if (known !== undefined) return known;
  const compiled = new CompiledSelector(css);
  if (cache.size >= CACHE_SIZE) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  cache.set(css, compiled);
  return compiled;
}

export function searchOf(selector: Selector): Search {
  return selector instanceof CompiledSelector ? selector.search : searchOf(compileSelector(selector.css));
}

type Matcher = ((element: TreeElement) => boolean) & { readonly shouldTestNextSiblings?: boolean };

function compileSearch(css: string): Search {
  const inHtml = compileSearchOf(css, false);
  let inXml: Search | undefined;
  return (tree, within, visit) => {
    const search = tree.isXml === true ? (inXml ??= compileSearchOf(css, true)) : inHtml;
    search(tree, within, visit);
  };
}

function compileSearchOf(css: string, isXml: boolean): Search {
  const matches = compileMatcher(css, isXml, {});
  const plan = planSearch(css);
  let relative: ReturnType<typeof compileRelative> | undefined;

  return (tree, within, visit) => {
    if (within.parent === null) {
      searchPlanned(tree, within, plan, matches, visit);
      return;
    }
    relative ??= compileRelative(css, isXml);
    relative.setScope(within);
    if (relative.matches.shouldTestNextSiblings === true) {
      searchRange(tree, within.index + 1, within.parent.end, relative.matches, visit);
    } else {
      searchPlanned(tree, within, plan, relative.matches, visit);
    }
    // A selector outlives pages: it must not keep the last one alive.
    relative.setScope(undefined);
  };
}

// css-select binds `:scope` when it compiles. Compiling again for each row of a table would cost more than all the
// matching, so the selector is bound to a stand-in that equals whatever element is the scope at the moment.
const standIn = new TreeElement("", new TreeElement("", new TreeElement("", null)));

function compileRelative(
  css: string,
  isXml: boolean,
): {
  matches: Matcher;
  setScope: (element: TreeElement | undefined) => void;
} {
  let scope: TreeElement | undefined;
  const matches = compileMatcher(
    css,
    isXml,
    {
      adapter: { ...cssAdapter, equals: (a, b) => a === b || (a === standIn && b === scope) },
      // What css-select remembers of an element would be wrong for the next scope.
      cacheResults: false,
    },
    standIn,
  );
  return { matches, setScope: (element) => (scope = element) };
}

function compileMatcher(
  css: string,
  isXml: boolean,
  options: Options<TreeNode, TreeElement>,
  scope?: TreeElement,
): Matcher {
  try {
    const all = { adapter: cssAdapter, xmlMode: isXml, pseudos: localName(isXml), ...options };
    return _compileUnsafe<TreeNode, TreeElement>(withPrefixes(css), all, scope);
  } catch (error) {
    throw new SelectorError(css, error);
  }
}

function searchPlanned(
  tree: HtmlTree,
  within: TreeElement,
  plan: SearchPlan,
  matches: Matcher,
  visit: (element: TreeElement) => boolean,
): void {
  if (plan.among === "all") {
    searchRange(tree, within.index + 1, within.end, matches, visit);
    return;
  }
  let searchedTo = 0;
  for (const element of tree.byId.get(plan.id) ?? []) {
    if (element.index <= within.index || element.index >= within.end) continue;
    if (tree.hasTemplates && isInTemplate(element, within)) continue;
    if (plan.among === "id") {
      if (matches(element) && !visit(element)) return;
    } else if (element.index >= searchedTo) {
      // The same id again inside of this element is searched with it.
      searchedTo = element.end;
      if (!searchRange(tree, element.index, element.end, matches, visit)) return;
    }
  }
}

function searchRange(
  tree: HtmlTree,
  from: number,
  to: number,
  matches: Matcher,
  visit: (element: TreeElement) => boolean,
): boolean {
  const { elements } = tree;
  for (let at = from; at < to; at++) {
    const element = elements[at];
    if (element === undefined) return true;
    if (matches(element) && !visit(element)) return false;
    if (element.isTemplate) at = element.end - 1;
  }
  return true;
}

/** The content of a `<template>` is not part of the page. */
function isInTemplate(element: TreeElement, within: TreeElement): boolean {
  for (let above = element.parent; above !== null && above !== within; above = above.parent) {
    if (above.isTemplate) return true;
  }
  return false;
}
