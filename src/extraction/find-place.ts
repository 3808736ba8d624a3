import type { FieldReading } from "./define-field.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { endsInEmptyList, entriesAt } from "./json/json-path.ts";
import { jsonHits, jsonRoots } from "./json/json-source.ts";
import { findLabel } from "./labels/find-label.ts";
import { by, type Hit, type JsonPlace, NO_HITS, type Place, placeOf, type Taking } from "./place.ts";
import type { QueryList, QueryLists } from "./query-lists.ts";
import { quoted } from "./reading/reading.ts";
import { matchesOf, takeFrom } from "./scan/answer-by-document.ts";
import type { PageQuery } from "./scan/page-query.ts";
import { GivenScope, RowScope, type Scope } from "./scope.ts";
import { compileSelector } from "./selector.ts";

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

/** How a site says that it has no value: a CSS selector, a place, or a pattern in its text. */
export type NoneMarker = string | Place | RegExp;

/** Throws `SelectorError`. */
export const markerOf = (marker: NoneMarker): Place =>
  marker instanceof RegExp ? by.regex(marker) : placeOf(marker);

/** Turns what was not found or not read into "the site has none" where the marker is. */
export function compileMarker(
  marker: Place,
  book: QueryLists,
): (scope: Scope, reading: FieldReading<unknown>) => FieldReading<never> | undefined {
  const find =
    marker.how === "regex" && marker.within === undefined
      ? undefined
      : compilePlace(marker, { takes: ["text"], isMany: false, jsonAs: "text" }, book);

  return (scope, { raw, at }) => {
    // The whole text of a page is asked for only when a field is not there: it is not worth a place in the scan.
    const hit =
      find === undefined && marker.how === "regex"
        ? matchIn(marker.pattern, raw ?? allText(scope)?.text, at)
        : find?.(scope)[0];
    if (hit === undefined) return undefined;
    return {
      raw: raw ?? hit.text ?? "",
      by: marker.by,
      ...(hit.at === undefined ? {} : { at: hit.at }),
      isEmpty: true,
      value: null,
      unavailable: quoted(hit.text ?? marker.by),
    };
  };
}

/** Where in a page's text it stands is not where it stands in its source: then there is no `at`. */
function matchIn(pattern: RegExp, text = "", at?: number): Hit | undefined {
  pattern.lastIndex = 0;
  const match = pattern.exec(text);
  return match === null ? undefined : { text: match[0], at };
}

const body = compileSelector("body");
const topElements = compileSelector(":root");

/** Gives the text of a scope, or of the first match of `within` in it, as a person reads it. */
function visibleText(within: string | undefined, book: QueryLists): (scope: Scope) => Hit | undefined {
  if (within !== undefined) {
    const slot = book.own.add({ css: within, take: "text", isMany: false });
    return (scope) => scope.matches(slot)[0];
  }
  if (book.scope !== "page") return allText;
  const slot = book.own.add({ css: "body", take: "text", isMany: false });
  return (scope) => scope.matches(slot)[0] ?? allText(scope);
}

/** The text of a scope, asked of its document. A fragment of a page has no body: then it is all that stands at the top. */
function allText({ view: { document }, element }: Scope): Hit | undefined {
  const whole = element ?? document.first(body);
  const elements = whole === undefined ? document.all(topElements) : [whole];
  const [first] = elements;
  if (first === undefined) return undefined;
  const text = elements.map((one) => document.textOf(one)).join(" ");
  return { text, at: document.offsetOf(first) };
}

const LINK_TAGS = new Set(["a", "area"]);
const links = compileSelector("a[href], area[href]");

/**
 * What a field takes from a cell that was found by its label or header: a link may stand anywhere inside of it. An image is no
 * link: many a blank cell has one to keep its width.
 */
export function elementHit(document: HtmlDocument, element: HtmlElement, { takes, pick }: Taking): Hit {
  const at = document.offsetOf(element);
  const texts = takes.map((take) => {
    const own =
      take === "link" && !LINK_TAGS.has(element.tag) ? undefined : takeFrom(document, element, take);
    if (own !== undefined || take === "text" || take === "raw" || take === "html") return own;
    const below = document.first(take === "link" ? links : compileSelector(`[${take.attribute}]`), element);
    return below && takeFrom(document, below, take);
  });
  const text = pick === undefined ? texts[0] : pick(texts);
  // A cell without a link has its text: an address may be written out.
  return text === undefined && takes[0] === "link"
    ? { text: document.textOf(element), at, isProse: true }
    : { text, at };
}
