import type { Selector } from "../../../recordings/recording.ts";
import type { accessibility } from "./accessibility.ts";
import type { PageElement, PageNode, PageRoot, PageWindow } from "./page-dom.ts";

/** What to look for in one frame. */
export interface Query {
  readonly alternatives: readonly Selector[];
  /** Matches of the `sluice.forEach` blocks around the step, the outermost first. */
  readonly within: readonly Scope[];
  /** Name of the global with the elements that Playwright found for a `pw/` selector. */
  readonly given?: string;
}

/** One match of a `sluice.forEach`. It is found again for each lookup, because scripts may redraw a list. */
export interface Scope {
  readonly alternatives: readonly Selector[];
  /** From 0. */
  readonly index: number;
  /**
   * `performance.timeOrigin` of the document that has the match: it identifies the document. In other documents, selectors apply to the whole page.
   */
  readonly document: number;
}

export interface Found {
  /** Matches of each alternative, in document order. */
  readonly lists: readonly (readonly PageElement[])[];
  /** Why an alternative has no matches. */
  readonly notes: string[];
}

/**
 * Runs inside a page, and so refers to nothing outside. Finds what each alternative matches. Closed shadow roots cannot be looked into; Chrome's
 * Recorder cannot either, and names their host instead.
 */
export function findElements(
  window: PageWindow,
  query: Query,
  { nameOf, roleOf }: ReturnType<typeof accessibility>,
): Found {
  const { document } = window;
  const isElement = (node: PageNode): node is PageElement => node.nodeType === 1;
  const listOf = <Item>(items: ArrayLike<Item>): Item[] => Array.prototype.slice.call(items) as Item[];
  const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

  /** All elements below a root, those of open shadow roots included. */
  const deepElements = (root: PageRoot | PageElement): PageElement[] => {
    const all: PageElement[] = [];
    for (const element of listOf(root.querySelectorAll("*"))) {
      all.push(element);
      if (element.shadowRoot) all.push(...deepElements(element.shadowRoot));
    }
    return all;
  };

  const byText = (root: PageRoot | PageElement, wanted: string): PageElement[] => {
    const holds = (element: PageElement): boolean => {
      const isButton = element.localName === "input" && /^(?:button|submit|reset)$/.test(element.type ?? "");
      const text = isButton ? (element.value ?? "") : (element.textContent ?? "");
      return text.includes(wanted) || fold(text).includes(fold(wanted));
    };
    const holding = deepElements(root).filter(
      (element) =>
        !/^(?:script|style|noscript|template)$/.test(element.localName) &&
        !document.head?.contains(element) &&
        holds(element),
    );
    // The innermost elements: nothing inside them has the text.
    const parents = new Set<PageNode | null>();
    for (const element of holding)
      for (let up = element.parentNode; up !== null && !parents.has(up); up = up.parentNode) parents.add(up);
    return holding.filter((element) => !parents.has(element));
  };

  const byName = (root: PageRoot | PageElement, wanted: string): PageElement[] => {
    let role: string | undefined;
    let name: string | undefined;
    const rest = wanted.replace(
      /\[\s*(\w+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')\s*\]/g,
      (_all: string, attribute: string, double?: string, single?: string) => {
        const value = (double ?? single ?? "").replace(/\\(.)/g, "$1");
        if (attribute === "role") role = value === "img" ? "image" : value;
        if (attribute === "name") name = value;
        return "";
      },
    );
    name ??= fold(rest) === "" && role !== undefined ? undefined : fold(rest);
    return deepElements(root).filter(
      (element) =>
        (role === undefined || roleOf(element) === role) && (name === undefined || nameOf(element) === name),
    );
  };

  const byPath = (root: PageRoot | PageElement, expression: string): PageElement[] => {
    const ORDERED_SNAPSHOT = 7;
    const isAbsolute = expression.startsWith("/") && root !== document;
    const result = document.evaluate(
      isAbsolute ? `.${expression}` : expression,
      root,
      null,
      ORDERED_SNAPSHOT,
    );
    const found: PageElement[] = [];
    for (let at = 0; at < result.snapshotLength; at++) {
      const node = result.snapshotItem(at);
      if (node && isElement(node)) found.push(node);
    }
    return found;
  };

  const byPart = (root: PageRoot | PageElement, part: string): PageElement[] => {
    if (part.startsWith("aria/")) return byName(root, part.slice(5));
    if (part.startsWith("text/")) return byText(root, part.slice(5));
    if (part.startsWith("xpath/")) return byPath(root, part.slice(6));
    if (part.startsWith("pierce/")) return deepElements(root).filter((one) => one.matches(part.slice(7)));
    return listOf(root.querySelectorAll(part));
  };

  const given = (): PageElement[] => {
    const globals = window as unknown as Record<string, PageElement[] | undefined>;
    const elements = query.given === undefined ? [] : (globals[query.given] ?? []);
    if (query.given !== undefined) delete globals[query.given];
    return elements;
  };

  /** A shadow root's parent is its host. */
  const isInside = (element: PageElement, outer: PageElement): boolean => {
    for (let node: PageNode | null | undefined = element; node;)
      if (outer.contains(node)) return true;
      else node = node.getRootNode().host;
    return false;
  };

  const byChain = (chain: Selector, outer: PageElement | undefined): PageElement[] => {
    const [head = "", ...rest] = chain;
    if (outer && head === ":scope" && rest.length === 0) return [outer];
    const fromOuter = outer && head.includes(":scope") ? outer : document;
    let found = head.startsWith("pw/") ? given() : byPart(fromOuter, head);
    // `:root …` means the whole page, also within a match.
    if (outer && !head.startsWith(":root")) found = found.filter((element) => isInside(element, outer));
    for (const part of rest)
      found = [...new Set(found.flatMap((element) => byPart(element.shadowRoot ?? element, part)))];
    return found;
  };

  const outerOf = (): { readonly outer?: PageElement; readonly note?: string } => {
    let outer: PageElement | undefined;
    for (const { alternatives, index, document: origin } of query.within) {
      if (origin !== window.performance.timeOrigin) continue;
      const list = alternatives.map((chain) => byChain(chain, outer)).find(({ length }) => length > 0) ?? [];
      outer = list[index];
      if (!outer) return { note: `match ${index + 1} of sluice.forEach no longer exists` };
    }
    return outer ? { outer } : {};
  };

  const { outer, note } = outerOf();
  const notes: string[] = [];
  const lists = query.alternatives.map((chain, at) => {
    if (note !== undefined) {
      notes[at] = note;
      return [];
    }
    try {
      const found = byChain(chain, outer);
      notes[at] = found.length === 0 ? "no match" : "";
      return found;
    } catch (error) {
      notes[at] = `cannot be read: ${String(error).slice(0, 120)}`;
      return [];
    }
  });
  return { lists, notes };
}
