import { _compileUnsafe, type Options } from "css-select";
import { isTraversal, parse, type Selector as CssToken, SelectorType } from "css-what";
import { SelectorError } from "./extraction-error.ts";
import { type HtmlTree, ParsedElement, type TreeElement } from "./html-tree.ts";

/** A compiled CSS selector; only documents look inside. */
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

// Scraper code may build selectors from its input, so the cache is bounded.
const CACHE_SIZE = 1000;
const cache = new Map<string, CompiledSelector>();

/** Throws `SelectorError` if the selector is invalid. */
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
    const search = tree.isXml ? (inXml ??= compileSearchOf(css, true)) : inHtml;
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
    // A selector outlives pages: it must not keep the last one in memory.
    relative.setScope(undefined);
  };
}

// css-select binds `:scope` when it compiles. Compiling again for each row of a table would cost more than all the
// matching, so the selector is bound to a stand-in that equals the current scope element.
const standIn = new ParsedElement("", new ParsedElement("", new ParsedElement("", null)));

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
      // css-select would cache results that are wrong for the next scope.
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
      // The same id inside this element is searched with it.
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

type TreeNode = TreeElement | string;

/** How css-select sees the tree; behaves as its own adapter does on a DOM. */
const cssAdapter: NonNullable<Options<TreeNode, TreeElement>["adapter"]> = {
  isTag: (node): node is TreeElement => typeof node !== "string",
  getName: (element) => element.name,
  getAttributeValue: (element, name) => element.attribute(name),
  hasAttrib: (element, name) => element.attribute(name) !== undefined,
  // The content of a template is not part of the page.
  getChildren: (node) => (typeof node === "string" || node.isTemplate ? [] : node.children),
  getParent: (element) => (element.parent?.parent == null ? null : element.parent),
  getSiblings: (node) => (typeof node === "string" ? [node] : (node.parent?.children ?? [node])),
  getText: (node) => (typeof node === "string" ? node : plainText(node, false)),
  removeSubsets: (nodes) => nodes,
};

/** All text below an element, `<br>` as a line break; `:contains` ignores templates. Loops, since pages nest without limit. */
export function plainText(element: TreeElement, withTemplates = true): string {
  if (element.tag === "br") return "\n";
  let text = "";
  const rest: TreeNode[] = [];
  for (let node: TreeNode | undefined = element; node !== undefined; node = rest.pop()) {
    if (typeof node === "string") text += node;
    else if (node.tag === "br") text += "\n";
    else if (withTemplates || !node.isTemplate)
      for (let at = node.children.length - 1; at >= 0; at--) rest.push(node.children[at] ?? "");
  }
  return text;
}

/** Where a selector's matches can be, so that a search need not visit the whole page. */
type SearchPlan =
  /** Only the elements with this id. */
  | { readonly among: "id"; readonly id: string }
  /** Only below the elements with this id. */
  | { readonly among: "below-id"; readonly id: string }
  | { readonly among: "all" };

const everywhere: SearchPlan = { among: "all" };
const TAG = /[a-z][\w-]*|\*/iy;
// Plain names only, no escapes; brackets and parentheses are skipped as a whole.
const SIMPLE =
  /#(?<id>[a-z_][\w-]*)|\.[a-z_][\w-]*|\[[\w-]+(?:[~|^$*!]?=(?:"[^"\\]*"|'[^'\\]*'|[\w-]+))?\]|:[a-z-]+(?:\((?:"[^"\\]*"|'[^'\\]*'|[^()[\]"'\\]*)\))?/iy;
// CSS white space only: in CSS, a no-break space is a letter.
const COMBINATOR = /[ \t\r\n\f]*(?<mark>[>+~])[ \t\r\n\f]*|[ \t\r\n\f]+/y;

/**
 * Plans common selectors by the last `#id` that contains everything after it. Matches are still tested against the whole selector,
 * so a plan only narrows the search; what it does not understand means "all".
 */
function planSearch(selector: string): SearchPlan {
  const css = selector.replace(/^[ \t\r\n\f]+|[ \t\r\n\f]+$/g, "");
  if (/:scope/i.test(css)) return everywhere;
  let plan: SearchPlan = everywhere;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(css);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };

  for (;;) {
    const start = at;
    take(TAG);
    for (let simple = take(SIMPLE); simple !== null; simple = take(SIMPLE)) {
      const id = simple.groups?.["id"];
      if (id !== undefined) plan = { among: "id", id };
    }
    if (at === start) return everywhere;
    if (at === css.length) return plan;
    const combinator = take(COMBINATOR);
    if (combinator === null) return everywhere;
    const goesSideways = combinator.groups?.["mark"] === "+" || combinator.groups?.["mark"] === "~";
    if (goesSideways) plan = everywhere;
    else if (plan.among === "id") plan = { among: "below-id", id: plan.id };
  }
}

const LOCAL_NAME = "local-name";

/**
 * Prefixes as in XML: `dc|creator` is the element `dc:creator`, `*|Body` is `Body` with any prefix or none. css-select supports
 * neither. The namespace that a prefix stands for is ignored.
 */
const withPrefixes = (css: string): string | CssToken[][] =>
  /\|(?!=)/.test(css) ? parse(css).map((tokens) => tokens.flatMap(prefixed)) : css;

function prefixed(token: CssToken): CssToken[] {
  if (isTraversal(token)) return [token];
  if (token.type === SelectorType.Tag && token.namespace !== null) {
    const { name, namespace } = token;
    if (namespace === "*") return [{ type: SelectorType.Pseudo, name: LOCAL_NAME, data: name }];
    return [{ ...token, name: namespace === "" ? name : `${namespace}:${name}`, namespace: null }];
  }
  if (token.type === SelectorType.Universal && token.namespace === "*")
    return [{ ...token, namespace: null }];
  if (token.type === SelectorType.Attribute && token.namespace !== null && token.namespace !== "*")
    return [{ ...token, name: `${token.namespace}:${token.name}`, namespace: null }];
  if (token.type === SelectorType.Pseudo && Array.isArray(token.data))
    return [{ ...token, data: token.data.map((tokens) => tokens.flatMap(prefixed)) }];
  return [token];
}

/** For css-select: what `*|name` becomes. */
const localName = (
  isXml: boolean,
): Record<string, (element: TreeElement, value?: string | null) => boolean> => ({
  [LOCAL_NAME]: ({ tag }, name) => tag.slice(tag.indexOf(":") + 1) === (isXml ? name : name?.toLowerCase()),
});
