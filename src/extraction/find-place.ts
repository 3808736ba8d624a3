import type { FieldReading } from "./define-field.ts";
import { ExtractionError } from "./extraction-error.ts";
import { endsInEmptyList, entriesAt } from "./json/json-path.ts";
import { jsonHits, jsonRoots } from "./json/json-source.ts";
import { elementHit, findLabel } from "./labels/find-label.ts";
import { by, type Hit, type JsonPlace, NO_HITS, type Place, placeOf, type Taking } from "./place.ts";
import type { QueryList, QueryLists } from "./query-lists.ts";
import { quoted } from "./reading/reading.ts";
import { matchesOf } from "./scan/answer-by-document.ts";
import type { PageQuery } from "./scan/page-query.ts";
import type { Scope } from "./scope.ts";
import { compileSelector } from "./selector.ts";

/** Finds the hits of a place. None: the place is not on the page. */
export type Finder = (scope: Scope) => readonly Hit[];

/** Adds the place's queries to the lists, and returns the function that looks up the answers. */
export function compilePlace(place: Place, taking: Taking, lists: QueryLists): Finder {
  checkScope(place, lists);
  switch (place.how) {
    case "css": {
      const takes = place.attribute === undefined ? taking.takes : [{ attribute: place.attribute }];
      const finder = byQueries(place.css, { ...taking, takes }, place.isOfPage ? lists.page : lists.own);
      return place.isOfPage ? (scope) => finder(scope.page) : finder;
    }
    case "label": {
      lists.labels.add(place.key);
      return findLabel(place, taking, lists);
    }
    case "regex":
      return byRegex(place, taking, lists);
    case "json":
      return byJson(place, taking, lists);
    case "column":
      if (lists.scope !== "table-row")
        throw new ExtractionError(
          "bad-spec",
          `by.column("${place.key}") works only in the columns of field.table`,
        );
      return (scope) => {
        const cell = scope.cells?.get(place.key);
        return cell === undefined ? NO_HITS : [elementHit(scope.view.document, cell, taking)];
      };
    case "given":
      return (scope) => scope.hits ?? NO_HITS;
    default:
      return place satisfies never;
  }
}

function byQueries(css: string, { takes, pick, isMany }: Taking, list: QueryList): Finder {
  const [slot = 0, ...others] = takes.map((take) => list.add({ css, take, isMany }));
  if (takes[0] === "link") {
    // Needed only if there is no link, so it is not part of the scan.
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

/** An element without a link is read as text: it may be a placeholder, or spell out the address. */
function linkOrText(scope: Scope, slot: number, inText: PageQuery): readonly Hit[] {
  const [match, ...others] = scope.matches(slot);
  if (match === undefined || match.text !== undefined || match.isTooLong) return scope.matches(slot);
  const [found] = matchesOf(scope.view.document, inText, scope.view.costs, scope.element);
  return [{ ...(found ?? match), isProse: true, isBare: LINKS.has(match.tag) }, ...others];
}

/** Elements with an attribute for the address; in other elements the text may be the address. */
const LINKS = new Set(
  "a area link base form object meta img iframe script source video audio embed input".split(" "),
);

function byRegex(
  { pattern, within }: Extract<Place, { how: "regex" }>,
  { isMany }: Taking,
  lists: QueryLists,
): Finder {
  const textOf = visibleText(within, lists);
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

function byJson({ source, path }: JsonPlace, { isMany, jsonAs }: Taking, lists: QueryLists): Finder {
  const rootsOf = jsonRoots(source, lists);
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
      // Of several JSON sources on the page, another may have the value.
      none ??= hits;
    }
    return none ?? NO_HITS;
  };
}

/** A JSON row has no elements, and an element has no JSON of its own: a place that can never exist is rejected when the scraper is loaded. */
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

/** If the marker is on the page, turns a missing or malformed value into "the site has none". */
export function compileMarker(
  marker: Place,
  lists: QueryLists,
): (scope: Scope, reading: FieldReading<unknown>) => FieldReading<never> | undefined {
  const find =
    marker.how === "regex" && marker.within === undefined
      ? undefined
      : compilePlace(marker, { takes: ["text"], isMany: false, jsonAs: "text" }, lists);

  return (scope, { raw, at }) => {
    // The whole text of a page is needed only if a field is missing, so it is not part of the scan.
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

/** A position in the page's text is not a position in its source, so there is no `at`. */
function matchIn(pattern: RegExp, text = "", at?: number): Hit | undefined {
  pattern.lastIndex = 0;
  const match = pattern.exec(text);
  return match === null ? undefined : { text: match[0], at };
}

const body = compileSelector("body");
const topElements = compileSelector(":root");

/** The visible text of a scope, or of the first match of `within` in it. */
function visibleText(within: string | undefined, lists: QueryLists): (scope: Scope) => Hit | undefined {
  if (within !== undefined) {
    const slot = lists.own.add({ css: within, take: "text", isMany: false });
    return (scope) => scope.matches(slot)[0];
  }
  if (lists.scope !== "page") return allText;
  const slot = lists.own.add({ css: "body", take: "text", isMany: false });
  return (scope) => scope.matches(slot)[0] ?? allText(scope);
}

/** The visible text of a scope, from its document. A fragment of a page has no body: then it is the text of all top elements. */
function allText({ view: { document }, element }: Scope): Hit | undefined {
  const whole = element ?? document.first(body);
  const elements = whole === undefined ? document.all(topElements) : [whole];
  const [first] = elements;
  if (first === undefined) return undefined;
  const text = elements.map((one) => document.textOf(one)).join(" ");
  return { text, at: document.offsetOf(first) };
}
