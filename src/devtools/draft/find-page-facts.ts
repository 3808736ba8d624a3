import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate } from "./candidate.ts";
import type { DraftPlace } from "./field-draft.ts";
import { isFurniture } from "./furniture.ts";
import { shortSelector } from "./short-selector.ts";

/** What pages of any kind have: a heading, a description, their own address. */
export const findPageFacts = (document: HtmlDocument): Candidate[] => {
  const facts: Candidate[] = [];
  const [heading] = document.all(compileSelector("h1")).filter((each) => !isFurniture(document, each));
  const text = heading && document.textOf(heading);
  const css = heading && shortSelector(document, [heading]);
  if (text && css)
    facts.push({
      label: "title",
      texts: [text],
      from: "heading",
      choices: [{ type: "text", place: { css } }],
    });
  const add = (label: string, type: "text" | "url", place: DraftPlace): void =>
    void facts.push({ label, from: "meta", choices: [{ type, place }], isOptional: true });
  if (!text && hasMeta(document, "og:title")) add("title", "text", { meta: "og:title" });
  if (hasMeta(document, "description")) add("description", "text", { meta: "description" });
  if (hasMeta(document, "og:image")) add("image", "url", { meta: "og:image" });
  const canonical = "link[rel=canonical]";
  if (document.first(compileSelector(canonical))) add("canonicalUrl", "url", { css: canonical });
  return facts;
};

const hasMeta = (document: HtmlDocument, name: string): boolean =>
  document.first(compileSelector(`meta[name="${name}"], meta[property="${name}"]`)) !== undefined;

const FILE = /\.(?:pdf|docx?|xlsx?|csv|zip|tiff?)(?:$|[?#])/i;
const MOST_FILES = 3;

/** Links to documents, and to the next page. */
export const findLinks = (document: HtmlDocument): Candidate[] => {
  const links = document.all(compileSelector("a")).filter((link) => document.attr(link, "href"));
  const files = links
    .filter((link) => FILE.test(document.attr(link, "href") ?? "") && !isFurniture(document, link))
    .slice(0, MOST_FILES);
  const next = findNext(document);
  return [
    ...files.flatMap((link) => linkTo(shortSelector(document, [link]), document.textOf(link))),
    ...linkTo(next, "next page"),
  ];
};

/** The selector of the link to the next page of a listing. */
export const findNext = (document: HtmlDocument): string | undefined => {
  const next = document.all(compileSelector("a[href]")).find((link) => isNext(document, link));
  if (next === undefined) return undefined;
  return document.attr(next, "rel") === "next" ? "a[rel=next]" : shortSelector(document, [next]);
};

const isNext = (document: HtmlDocument, link: HtmlElement): boolean =>
  document.attr(link, "rel") === "next" ||
  /^(?:next|next page|›|»|→)(?:\s*[›»→])?$/i.test(document.textOf(link));

const linkTo = (css: string | undefined, label: string): Candidate[] =>
  css === undefined
    ? []
    : [{ label, from: "link", choices: [{ type: "url", place: { css } }], isOptional: true }];
