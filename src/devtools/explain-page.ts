import type { KeptPage } from "../domain/capture.ts";
import { foldSpace } from "../extraction/folded-text.ts";
import { pageKind, parsePage } from "../extraction/parse-page.ts";
import type { Place } from "../extraction/place.ts";
import { compileSelector } from "../extraction/selector.ts";

type Page = Pick<KeptPage, "mediaType" | "text">;

/** What to know before any place is looked at: that there is nothing on the page, or that it has no elements for selectors to find. */
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

/** How a page begins, as a person reads it: a page on which nothing was found often says why. */
export const pageBeginning = (page: Page): string => {
  const kind = pageKind(page);
  const words = kind === "json" ? foldSpace(page.text.slice(0, 10 * MOST_TEXT)) : visibleWords(page);
  if (words === "") return "the page has no text that a person could read";
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
