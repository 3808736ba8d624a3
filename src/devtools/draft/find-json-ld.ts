import type { HtmlDocument } from "../../extraction/html-document.ts";
import { parseLenientJson } from "../../extraction/json/json-text.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate } from "./candidate.ts";
import type { ValueDraft } from "./field-draft.ts";
import { guessKind } from "./guess-kind.ts";

type Thing = Readonly<Record<string, unknown>>;

/** What pages say of themselves rather than of what they are about. */
const ABOUT_THE_SITE =
  /^(?:WebSite|WebPage|CollectionPage|ItemPage|SearchAction|BreadcrumbList|ListItem|ImageObject|Organization|Person|SiteNavigationElement|WPHeader|WPFooter|ReadAction|EntryPoint)$/;
const MOST_FIELDS = 25;

/** The properties of the main thing that the page's JSON-LD describes. */
export const findJsonLd = (document: HtmlDocument): Candidate[] => {
  const thing = mainThing(document);
  if (thing === undefined) return [];
  const type = typeOf(thing);
  return type === undefined ? [] : candidatesOf(type, thing).slice(0, MOST_FIELDS);
};

/** The one that says most, of those that are not about the site. */
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
/** Who published it, what may be done with it, what else there is: not what the thing is. */
const ASIDE = new Set(
  "potentialAction publisher mainEntityOfPage mainEntity isPartOf video review comment speakable hasPart subjectOf".split(
    " ",
  ),
);
const PICTURES = new Set(["image", "logo", "thumbnail", "photo"]);
/** Say nothing that the property above them does not say. */
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
    // Steps have a text, authors a name; of other things nobody knows what is wanted.
    const part = ["text", "name"].find((name) => value.every((entry) => typeof entry[name] === "string"));
    return part === undefined ? [] : [{ type: "list", place: { jsonLd, path: `${path}[].${part}` } }];
  }
  const texts = [value].flat().map(asText);
  const [text] = texts;
  if (text === undefined || text === "" || texts.includes(undefined)) return [];
  const place = { jsonLd, path };
  const isUrl = /^https?:\/\//.test(text) || PICTURES.has(label);
  // Several pictures are sizes of one; of anything else all are wanted.
  if (texts.length > 1 && !isUrl) return [{ type: "list", place: { jsonLd, path: `${path}[]` } }];
  return [isUrl ? { type: "url", place } : { ...guessKind(text, label), place }, { type: "text", place }];
};

const asText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : undefined;
