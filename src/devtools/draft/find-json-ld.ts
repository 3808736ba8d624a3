import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { parseLenientJson } from "../../extraction/json/json-text.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate, DraftPlace, ValueDraft } from "./field-draft.ts";
import { guessKind } from "./guess-kind.ts";
import { isBoilerplate } from "./page-markup.ts";
import { shortSelector } from "./short-selector.ts";

type Thing = Readonly<Record<string, unknown>>;

/** Types that describe the page or the site, not its subject. */
const ABOUT_THE_SITE =
  /^(?:WebSite|WebPage|CollectionPage|ItemPage|SearchAction|BreadcrumbList|ListItem|ImageObject|Organization|Person|SiteNavigationElement|WPHeader|WPFooter|ReadAction|EntryPoint)$/;
const MOST_FIELDS = 25;

/** The properties of the main thing in the page's JSON-LD. */
export const findJsonLd = (document: HtmlDocument): Candidate[] => {
  const thing = mainThing(document);
  if (thing === undefined) return [];
  const type = typeOf(thing);
  return type === undefined ? [] : candidatesOf(type, thing).slice(0, MOST_FIELDS);
};

/** The one with the most properties that is not about the site. */
const mainThing = (document: HtmlDocument): Thing | undefined => {
  const things = document
    .all(compileSelector('script[type="application/ld+json"]'))
    .flatMap((script) => [...thingsIn(parseLenientJson(document.rawTextOf(script)))]);
  return things
    .filter((thing) => !ABOUT_THE_SITE.test(typeOf(thing) ?? "WebPage"))
    .sort((a, b) => Object.keys(b).length - Object.keys(a).length)[0];
};

function* thingsIn(json: unknown): Generator<Thing> {
  if (Array.isArray(json)) for (const entry of json) yield* thingsIn(entry);
  else if (isThing(json)) {
    yield json;
    yield* thingsIn(json["@graph"]);
  }
}

const isThing = (value: unknown): value is Thing =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const typeOf = (thing: Thing): string | undefined => {
  const type: unknown = Array.isArray(thing["@type"]) ? thing["@type"][0] : thing["@type"];
  return typeof type === "string" ? type : undefined;
};

const NAME = /^[A-Za-z]\w{0,40}$/;
/** Publisher, licence, related things: not about the thing itself. */
const ASIDE = new Set(
  "potentialAction publisher mainEntityOfPage mainEntity isPartOf video review comment speakable hasPart subjectOf".split(
    " ",
  ),
);
const PICTURES = new Set(["image", "logo", "thumbnail", "photo"]);
/** These add nothing to the property above them. */
const PLAIN = new Set(["name", "text", "value"]);

const candidatesOf = (type: string, thing: Thing, above?: string): Candidate[] =>
  Object.entries(thing)
    .filter(([name]) => NAME.test(name) && !ASIDE.has(name))
    .filter(([name]) => above === undefined || !PICTURES.has(above) || name === "url")
    .flatMap(([name, value]): Candidate[] => {
      const label = above === undefined ? name : labelOf(above, name);
      const path = above === undefined ? name : `${above}.${name}`;
      const choices = choicesFor(type, path, label, value);
      if (choices.length > 0) return [{ label, from: "json-ld", choices, isOptional: above !== undefined }];
      const inner = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
      return isThing(inner) && above === undefined ? candidatesOf(type, inner, name) : [];
    });

const labelOf = (above: string, name: string): string => {
  if (PLAIN.has(name) || (name === "url" && PICTURES.has(above))) return above;
  return name === "url" ? `${above} url` : name;
};

const choicesFor = (jsonLd: string, path: string, label: string, value: unknown): ValueDraft[] => {
  if (Array.isArray(value) && value.length > 1 && value.every(isThing)) {
    // Steps have a text, authors a name; for other things it is unclear what is wanted.
    const part = ["text", "name"].find((name) => value.every((entry) => typeof entry[name] === "string"));
    return part === undefined ? [] : [{ type: "list", place: { jsonLd, path: `${path}[].${part}` } }];
  }
  const texts = [value].flat().map(asText);
  const [text] = texts;
  if (text === undefined || text === "" || texts.includes(undefined)) return [];
  const place = { jsonLd, path };
  const isUrl = /^https?:\/\//.test(text) || PICTURES.has(label);
  // Several pictures are sizes of one; of anything else, take all.
  if (texts.length > 1 && !isUrl) return [{ type: "list", place: { jsonLd, path: `${path}[]` } }];
  return [isUrl ? { type: "url", place } : { ...guessKind(text, label), place }, { type: "text", place }];
};

const asText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : undefined;

/** What every kind of page has: a heading, a description, its URL. */
export const findPageFacts = (document: HtmlDocument): Candidate[] => {
  const facts: Candidate[] = [];
  const [heading] = document.all(compileSelector("h1")).filter((each) => !isBoilerplate(document, each));
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
    .filter((link) => FILE.test(document.attr(link, "href") ?? "") && !isBoilerplate(document, link))
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
