import { ExtractionError } from "./extraction-error.ts";
import { NO_HITS } from "./hit.ts";
import type { Hit } from "./hit.ts";
import { jsonHits } from "./json/json-hits.ts";
import { endsInEmptyList, entriesAt } from "./json/json-path.ts";
import { jsonRoots } from "./json/json-roots.ts";
import { findLabel } from "./labels/find-label.ts";
import { elementHit } from "./element-hit.ts";
import type { JsonPlace, Place } from "./place.ts";
import type { QueryLists, QueryList } from "./query-book.ts";
import { matchesOf } from "./scan/answer-by-document.ts";
import type { PageQuery } from "./scan/page-query.ts";
import { GivenScope, RowScope } from "./scope.ts";
import type { Scope } from "./scope.ts";
import type { Taking } from "./taking.ts";
import { visibleText } from "./visible-text.ts";

/** Finds what stands at a place. No hits: the place is not there. */
export type Finder = (scope: Scope) => readonly Hit[];

/** Writes what the place asks of a page into the book, and gives the function that looks up the answers. */
export function compilePlace(place: Place, taking: Taking, book: QueryLists): Finder {
  checkScope(place, book);
  switch (place.how) {
    case "css": {
      const takes = place.attribute === undefined ? taking.takes : [{ attribute: place.attribute }];
      const finder = byQueries(place.css, { ...taking, takes }, place.isOfPage ? book.page : book.own);
      return place.isOfPage ? (scope) => finder(scope.page) : finder;
    }
    case "label": {
      book.labels.add(place.key);
      return findLabel(place, taking, book);
    }
    case "regex":
      return byRegex(place, taking, book);
    case "json":
      return byJson(place, taking, book);
    case "column":
      if (book.scope !== "table-row")
        throw new ExtractionError(
          "bad-spec",
          `by.column("${place.key}") is for the columns of field.table only`,
        );
      return (scope) => {
        const cell = scope instanceof RowScope ? scope.cells.get(place.key) : undefined;
        return cell === undefined ? NO_HITS : [elementHit(scope.view.document, cell, taking)];
      };
    case "given":
      return (scope) => (scope instanceof GivenScope ? scope.hits : NO_HITS);
    default:
      return place satisfies never;
  }
}

function byQueries(css: string, { takes, pick, isMany }: Taking, list: QueryList): Finder {
  const [slot = 0, ...others] = takes.map((take) => list.add({ css, take, isMany }));
  if (takes[0] === "link") {
    // Asked only where there is no link: not worth a place in the scan.
    const inText: PageQuery = { css, take: "text", isMany: false };
    return (scope) => linkOrText(scope, slot, inText);
  }
  if (pick === undefined) return (scope) => scope.matches(slot);
  return (scope) =>
    scope.matches(slot).map((match, index) => ({
      ...match,
      text: pick([match.text, ...others.map((other) => scope.matches(other)[index]?.text)]),
    }));
}

/** An element without a link has its text: it may say that there is none, or write the address out. */
function linkOrText(scope: Scope, slot: number, inText: PageQuery): readonly Hit[] {
  const [match, ...others] = scope.matches(slot);
  if (match === undefined || match.text !== undefined || match.isTooLong) return scope.matches(slot);
  const [found] = matchesOf(scope.view.document, inText, scope.view.costs, scope.element);
  return [{ ...(found ?? match), isProse: true, isBare: LINKS.has(match.tag) }, ...others];
}

/** Elements whose place for an address is an attribute; in any other it can be the text. */
const LINKS = new Set(
  "a area link base form object meta img iframe script source video audio embed input".split(" "),
);

function byRegex(
  { pattern, within }: Extract<Place, { how: "regex" }>,
  { isMany }: Taking,
  book: QueryLists,
): Finder {
  const textOf = visibleText(within, book);
  return (scope) => {
    const source = textOf(scope);
    if (source?.text === undefined) return NO_HITS;
    const { text, at } = source;
    const hits: Hit[] = [];
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.["value"] ?? (match.length > 1 ? match[1] : match[0]);
      hits.push({ text: (value ?? "").trim(), at, isProse: true });
      if (!isMany) break;
    }
    return hits;
  };
}

function byJson({ source, path }: JsonPlace, { isMany, jsonAs }: Taking, book: QueryLists): Finder {
  const rootsOf = jsonRoots(source, book);
  const isNothing = (value: unknown): boolean =>
    value === null || (jsonAs !== "json" && Array.isArray(value) && value.length === 0);
  return (scope) => {
    let none: readonly Hit[] | undefined;
    for (const root of rootsOf(scope)) {
      const entries = entriesAt(root, path, root.places);
      if (entries.length === 0 && !endsInEmptyList(root, path)) continue;
      const values = entries.length === 0 ? [null] : entries.map(({ value }) => value);
      const hits = jsonHits(values, jsonAs, isMany, entries[0]?.at ?? root.at);
      if (!values.every(isNothing)) return hits;
      // Of several things on the page, another may have what this one leaves blank.
      none ??= hits;
    }
    return none ?? NO_HITS;
  };
}

/** A row of JSON has no elements, and an element no JSON of its own: a place that can never be there is refused when the scraper is loaded. */
export function checkScope(place: Place, { scope }: QueryLists): void {
  if (scope === "json-row") {
    const isFine =
      place.how === "given" ||
      (place.how === "json" && place.source.in !== "element") ||
      (place.how === "css" && place.isOfPage === true);
    if (isFine) return;
    const instead = place.how === "css" ? JSON.stringify(place.css) : '"name"';
    throw new ExtractionError(
      "bad-spec",
      `${place.by} cannot be found in a row of JSON, which has no elements: write by.path(${instead}) for a member of the row`,
    );
  }
  const isOfRow = place.how === "json" && place.source.in === "page" && place.source.isOfPage !== true;
  if (isOfRow && scope !== "page")
    throw new ExtractionError(
      "bad-spec",
      `${place.by} is for pages and rows of JSON, and these rows are elements: write by.json(css, path) for JSON in an element`,
    );
}
