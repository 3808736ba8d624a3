import type { KeptPage } from "../domain/capture.ts";
import { compileExtraction } from "../extraction/extract-spec.ts";
import { foldSpace } from "../extraction/folded-text.ts";
import { compileJsonRows } from "../extraction/json/json-source.ts";
import { pageKind, parsePage } from "../extraction/parse-page.ts";
import { type Each, type Place, placesOf } from "../extraction/place.ts";
import { pageLists } from "../extraction/query-lists.ts";
import { PageView, Scope } from "../extraction/scope.ts";
import { compileSelector } from "../extraction/selector.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { explainPlace } from "./explain-place.ts";
import type { PageParts, PlaceTrail } from "./explain-selector.ts";
import type { FoundRecord } from "./fixture.ts";
import { fragmentAt, type PageFragment } from "./page-fragment.ts";

/** Why a field has its status, with pieces of the page. Plain data: it is sent between threads. */
export interface FieldExplanation {
  /** What is wrong: one line per place that was tried. */
  readonly reasons: readonly string[];
  /** What the field expects, in words. */
  readonly expects?: string;
  /** The text on the page. */
  readonly raw?: string;
  readonly views: readonly ShownPage[];
}

/** A piece of the page, and why it is shown. */
interface ShownPage {
  readonly title: string;
  readonly fragment: PageFragment;
}

const MOST_HINTS = 2;

/** Says where a field was found, or how far each of its places matches on the page. */
export const explainField = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
  records: readonly FoundRecord[],
  { record: index, field: name }: { readonly record: number; readonly field: string },
): FieldExplanation | undefined => {
  const judged = records[index]?.fields[name];
  const page = pageOf(ready, pages, records, index);
  if (judged === undefined || page === undefined) return undefined;
  const field = fieldNamed(ready, name);
  // A value that only contradicts other fields still has the type that its own field expects.
  const expects = isByCheck(ready, pages, index, name) ? undefined : field?.expects;
  const known = {
    ...(expects !== undefined && { expects }),
    ...(judged.raw !== undefined && { raw: judged.raw }),
  };
  if (judged.status !== "missing") {
    const reasons = judged.why === undefined ? [] : [judged.why];
    const { at } = judged;
    const views = at === undefined ? [] : [viewOf(page, at, `found by ${judged.by ?? "the scraper"}`)];
    return { ...known, reasons, views };
  }
  const oddity = pageOddity(page, field?.places);
  const trails = (field?.places ?? []).flatMap((place) => {
    const trail = explainPlace(place, page);
    return trail === undefined ? [] : [trail];
  });
  const { reasons, views } = told(page, trails);
  const why = reasons.length > 0 ? reasons : [nothingFound(judged.why, field?.places)];
  return { ...known, views, reasons: oddity === undefined ? why : [oddity, ...why] };
};

/** For a page on which the scraper's `each` finds no record. */
export const explainEach = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
): FieldExplanation | undefined => {
  const spec = specOf(ready);
  const page = pages.find(({ name }) => spec?.from === undefined || [spec.from].flat().includes(name));
  if (spec?.each === undefined || page === undefined) return undefined;
  const places = placesOf(spec.each);
  const [parts] = rowsOfPage(page, undefined);
  const trail = parts && explainPlace(places[0]!, parts);
  if (parts === undefined || trail === undefined) return undefined;
  const { reasons, views } = told(parts, [trail]);
  return { views, reasons: [pageOddity(page, places) ?? pageBeginning(page), ...reasons] };
};

/** For pages on which none of the fields was found. */
export const explainPages = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
): FieldExplanation | undefined => {
  const from = specOf(ready)?.from;
  const page = pages.find(({ name }) => from === undefined || [from].flat().includes(name));
  return page && { reasons: [pageOddity(page) ?? pageBeginning(page)], views: [] };
};

/** Whether only the check of the whole record (`extract.check`) rejected the field. */
const isByCheck = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
  index: number,
  name: string,
): boolean => {
  const { check, ...spec } = specOf(ready) ?? { fields: {} };
  if (check === undefined) return false;
  const field = compileExtraction(spec).read(pages)[index]?.fields[name];
  return field !== undefined && field.raw !== null && field.problem === undefined;
};

/** For nested places, and others that cannot be explained from here. */
const nothingFound = (why: string | undefined, places: readonly Place[] = []): string =>
  why ?? `nothing was found by ${places.map((place) => place.by).join(", ") || "the scraper's own code"}`;

const told = (
  page: PartsOfPage,
  trails: readonly PlaceTrail[],
): Pick<FieldExplanation, "reasons" | "views"> => {
  const reached = trails.flatMap((trail) => trail.reached ?? []).slice(0, 1);
  const hints = trails.flatMap((trail) => trail.hints).slice(0, MOST_HINTS);
  return {
    reasons: trails.map(({ reason }) => reason),
    views: [
      ...reached.map(({ text, at }) => viewOf(page, at, text)),
      ...hints.map(({ text, at }) => viewOf(page, at, text, false)),
    ],
  };
};

const viewOf = ({ name, text }: KeptPage, at: number, title: string, hasNeighbours = true): ShownPage => ({
  title,
  fragment: fragmentAt(text, { page: name, at, length: tagLength(text, at), hasNeighbours }),
});

const LONGEST_MARK = 40;

/** The start tag or the word at this place, which the mark underlines. */
const tagLength = (text: string, at: number): number => {
  const found =
    text[at] === "<" ? /^<[^>]*>/.exec(text.slice(at, at + 400)) : /^[^\s<]+/.exec(text.slice(at, at + 100));
  return Math.min(found?.[0].length ?? 1, LONGEST_MARK);
};

const specOf = ({ scraper }: CompiledScraper) =>
  typeof scraper.extract === "object" ? scraper.extract : undefined;

/** Leaves of objects have dotted names; the content of a list is explained with the list. */
const fieldNamed = ({ extraction }: CompiledScraper, name: string) => {
  for (let part = name; part !== ""; part = part.slice(0, Math.max(0, part.lastIndexOf(".")))) {
    const field = extraction?.fields?.get(part);
    if (field !== undefined) return field;
  }
  return undefined;
};

/** The page and the row that a record was read from. Records are in the order of pages and rows. */
const pageOf = (
  ready: CompiledScraper,
  pages: readonly KeptPage[],
  records: readonly FoundRecord[],
  index: number,
): PartsOfPage | undefined => {
  const from = records[index]?.from;
  const named = pages.filter(({ name }) => name === from);
  let before = records.slice(0, index).filter((record) => record.from === from).length;
  const each = specOf(ready)?.each;
  for (const page of named) {
    const rows = rowsOfPage(page, each);
    const row = rows[before];
    if (row !== undefined) return row;
    before -= rows.length;
  }
  const [only] = named.length > 0 ? named : pages;
  return only && rowsOfPage(only, undefined)[0];
};

type Page = Pick<KeptPage, "mediaType" | "text">;

/** What matters before any place: an empty page, or one without elements for selectors. */
export const pageOddity = (page: Page, places: readonly Place[] = []): string | undefined => {
  const { mediaType, text } = page;
  const bytes = Buffer.byteLength(text);
  const size = `${mediaType === "" ? "" : `${mediaType}, `}${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  if (text.trim() === "") return `the page is empty (${size})`;
  const kind = pageKind(page);
  if (kind === "json") {
    const readsJson = places.length > 0 && places.every(({ how }) => how === "json");
    return readsJson ? undefined : `the page is JSON, not HTML (${size}): by.path("…") finds what is in it`;
  }
  const isMarkup = mediaType === "" || kind === "xml" || /html/i.test(mediaType);
  return isMarkup ? undefined : `the page is not HTML (${size})`;
};

const MOST_TEXT = 160;

/** How a page begins, as a person reads it: this often says why nothing was found. */
export const pageBeginning = (page: Page): string => {
  const kind = pageKind(page);
  const words = kind === "json" ? foldSpace(page.text.slice(0, 10 * MOST_TEXT)) : visibleWords(page);
  if (words === "") return "the page has no readable text";
  const root = kind === "xml" ? parsePage(page).first(compileSelector(":root"))?.tag : undefined;
  return `the page${root === undefined ? "" : ` is XML, <${root}>, and`} begins ${JSON.stringify(words.length > MOST_TEXT ? `${words.slice(0, MOST_TEXT)}…` : words)}`;
};

const visibleWords = (page: Page): string => {
  const document = parsePage(page);
  const body = document.first(compileSelector("body"));
  const parts = body === undefined ? document.all(compileSelector(":root")) : [body];
  return parts
    .map((part) => document.textOf(part))
    .join(" ")
    .trim();
};

type PartsOfPage = PageParts & KeptPage;

/** The page once per row, in order; without `each`, once. */
const rowsOfPage = (page: KeptPage, each: Each | undefined): readonly PartsOfPage[] => {
  const parts = { ...page, document: parsePage(page) };
  const [place] = each === undefined ? [] : placesOf(each);
  if (place?.how === "css")
    return parts.document.all(compileSelector(place.css)).map((row) => ({ ...parts, row }));
  if (place?.how !== "json") return [parts];
  const lists = pageLists();
  const rowsOf = compileJsonRows(place, lists);
  const rows = rowsOf(new Scope(new PageView(page), lists.page.queries)) ?? [];
  return rows.map((jsonRow) => ({ ...parts, jsonRow }));
};
