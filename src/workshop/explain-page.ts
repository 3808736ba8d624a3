import { parseHtml } from "../extraction/html-document.ts";
import { compileSelector } from "../extraction/selector.ts";
import type { KeptPage } from "../model/capture.ts";

type Page = Pick<KeptPage, "mediaType" | "text">;

/** What to know before any selector is looked at: that there is nothing on the page, or that it is no HTML. */
export const pageOddity = ({ mediaType, text }: Page): string | undefined => {
  const bytes = Buffer.byteLength(text);
  const size = `${mediaType === "" ? "" : `${mediaType}, `}${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  if (text.trim() === "") return `the page is empty (${size})`;
  const isMarkup = mediaType === "" || /html|xml/i.test(mediaType);
  return isMarkup ? undefined : `the page is not HTML (${size})`;
};

const MOST_TEXT = 160;

/** How a page begins, as a person reads it: a page on which nothing was found often says why. */
export const pageBeginning = ({ text }: Page): string => {
  const document = parseHtml(text);
  const body = document.first(compileSelector("body"));
  const parts = body === undefined ? document.all(compileSelector(":root")) : [body];
  const words = parts
    .map((part) => document.textOf(part))
    .join(" ")
    .trim();
  if (words === "") return "the page has no text that a person could read";
  return `the page begins ${JSON.stringify(words.length > MOST_TEXT ? `${words.slice(0, MOST_TEXT)}…` : words)}`;
};
