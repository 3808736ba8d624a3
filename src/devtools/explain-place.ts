import { similarNames } from "../domain/known-options.ts";
import type { HtmlElement } from "../extraction/html-document.ts";
import { type JsonPath, valuesAt } from "../extraction/json/json-path.ts";
import { isScript, rootsIn } from "../extraction/json/json-source.ts";
import { parsePageJson } from "../extraction/json/page-json.ts";
import { labelKey } from "../extraction/labels/label-index.ts";
import type { JsonPlace, Place } from "../extraction/place.ts";
import { compileSelector } from "../extraction/selector.ts";
import { explainCss, type PageParts, type PlaceTrail } from "./explain-selector.ts";

/** Explains a place that finds no value; undefined if there is nothing to add. */
export const explainPlace = (place: Place, parts: PageParts): PlaceTrail | undefined => {
  switch (place.how) {
    case "css":
      return explainCss(place.css, place.attribute, parts, place.isOfPage ? undefined : parts.row);
    case "label":
      return explainLabel(place, parts);
    case "regex":
      return explainRegex(place, parts);
    case "json":
      return explainJson(place, parts);
    case "column":
      return { reason: `no column has this heading: ${place.by}`, hints: [] };
    case "given":
      return undefined;
    default:
      return place satisfies never;
  }
};

const LABELS = "th, td, dt, label, legend, span, b, strong, em, p, div, li, h1, h2, h3, h4, h5, h6";
const LONGEST_LABEL = 60;

const explainLabel = (
  { by, key, within }: Extract<Place, { how: "label" }>,
  parts: PageParts,
): PlaceTrail | undefined => {
  const { document, row } = parts;
  const outer = within === undefined ? row : document.first(compileSelector(within), row);
  if (within !== undefined && outer === undefined) return explainCss(within, undefined, parts, row);
  const labels = new Map<string, HtmlElement>();
  for (const element of document.all(compileSelector(LABELS), outer)) {
    const text = document.textOf(element);
    // Show the innermost element with the text: it is the last.
    if (text !== "" && text.length <= LONGEST_LABEL) labels.set(labelKey(text), element);
  }
  const own = labels.get(key);
  if (own !== undefined)
    return {
      reason: `${by} is there, but has no value beside or below it`,
      reached: { text: "the label", at: document.offsetOf(own) },
      hints: [],
    };
  return {
    reason: `no ${by}${within === undefined ? " on the page" : ` in \`${within}\``}`,
    hints: similarNames(key, labels.keys()).map((label) => {
      const element = labels.get(label)!;
      return { text: `similar: "${document.textOf(element)}"`, at: document.offsetOf(element) };
    }),
  };
};

const explainRegex = (
  { by, pattern, within }: Extract<Place, { how: "regex" }>,
  parts: PageParts,
): PlaceTrail | undefined => {
  const { document, row, text } = parts;
  const outer = within === undefined ? row : document.first(compileSelector(within), row);
  if (within !== undefined && outer === undefined) return explainCss(within, undefined, parts, row);
  const words = /^\^?(?:\\b)?([\p{Letter}\p{Number} ,'-]{3,})/u.exec(pattern.source)?.[1]?.trimEnd();
  const at = words === undefined ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  return {
    reason: `${by} matches nothing in the text ${within === undefined ? "of the page" : `of \`${within}\``}`,
    hints: at < 0 ? [] : [{ text: `"${words}" is here`, at }],
  };
};

/** How far a path leads into the JSON of a page, and what is there instead. */
const explainJson = ({ source, path }: JsonPlace, parts: PageParts): PlaceTrail | undefined => {
  const { document } = parts;
  switch (source.in) {
    case "json-ld":
      return explainJsonLd(source.type, path, parts);
    case "element": {
      const element = document.first(compileSelector(source.css));
      if (element === undefined) return explainCss(source.css, undefined, parts);
      const json = parsed(document.rawTextOf(element));
      const reached = { text: source.css, at: document.offsetOf(element) };
      if (json === undefined)
        return { reason: `the text of \`${source.css}\` is not JSON`, reached, hints: [] };
      return { reason: lackOf(`\`${source.css}\``, json, path), reached, hints: [] };
    }
    case "variable":
      return explainVariable(source, path, parts);
    case "page": {
      const row = source.isOfPage === true ? undefined : parts.jsonRow;
      const { value, at = 0 } = row ?? parsePageJson(parts);
      const what = row === undefined ? "the page's JSON" : "the row";
      return { reason: lackOf(what, value, path), reached: { text: what, at }, hints: [] };
    }
    default:
      return source satisfies never;
  }
};

const MOST_VARIABLES = 8;
/** Variables in scripts that can hold data: `window.__STATE__ = {`. */
const VARIABLE =
  /(?:(?:window|self|globalThis)(?:\.|\[["'])|\b(?:var|let|const)\s{1,9})([\w$.]{1,60})(?:["']\])?\s{0,9}=\s{0,9}(?=[{["'`]|JSON)/g;

const explainVariable = (
  source: Extract<JsonPlace["source"], { in: "variable" }>,
  path: JsonPath,
  { document, text, mediaType }: PageParts,
): PlaceTrail => {
  const names = new Set<string>();
  const scripts = document
    .all(compileSelector("script"))
    .map((element) => ({ script: document.rawTextOf(element), at: document.offsetOf(element) }));
  for (const { script, at } of isScript(mediaType) ? [{ script: text, at: 0 }] : scripts) {
    const [root] = rootsIn(source, script);
    if (root !== undefined) {
      const reached = { text: source.name, at };
      return { reason: lackOf(`\`${source.name}\``, root, path), reached, hints: [] };
    }
    for (const [, name] of script.matchAll(VARIABLE)) names.add(name!);
  }
  const there = [...names].slice(0, MOST_VARIABLES).join(", ");
  const reason = `no script on the page assigns \`${source.name}\``;
  return { reason: there === "" ? reason : `${reason}; there is ${there}`, hints: [] };
};

const explainJsonLd = (type: string, path: JsonPath, { document }: PageParts): PlaceTrail => {
  const types = new Map<string, { readonly thing: object; readonly element: HtmlElement }>();
  for (const element of document.all(compileSelector('script[type="application/ld+json"]')))
    for (const [name, thing] of thingsIn(parsed(document.rawTextOf(element))))
      if (!types.has(name)) types.set(name, { thing, element });
  const own = types.get(type);
  if (own !== undefined)
    return {
      reason: lackOf(`JSON-LD of type ${type}`, own.thing, path),
      reached: { text: type, at: document.offsetOf(own.element) },
      hints: [],
    };
  if (types.size === 0) return { reason: "the page has no JSON-LD that can be read", hints: [] };
  return {
    reason: `the page's JSON-LD has no ${type}; it has ${[...types.keys()].slice(0, 8).join(", ")}`,
    hints: similarNames(type, types.keys(), 1).map((name) => ({
      text: `similar: ${name}`,
      at: document.offsetOf(types.get(name)!.element),
    })),
  };
};

/** Everything with a type, at any depth. */
function* thingsIn(json: unknown): Generator<readonly [string, object]> {
  if (typeof json !== "object" || json === null) return;
  if ("@type" in json)
    for (const type of [json["@type"]].flat()) if (typeof type === "string") yield [type, json];
  for (const part of Object.values(json)) yield* thingsIn(part);
}

const NAMES_SHOWN = 12;

/** `X has author, but that has no nmae; it has name, url`. */
const lackOf = (what: string, json: unknown, path: JsonPath): string => {
  let length = path.length;
  while (length > 0 && valuesAt(json, path.slice(0, length)).length === 0) length--;
  const next = path[length];
  const shown = path.slice(0, length).join(".");
  const names = valuesAt(json, path.slice(0, length)).flatMap((value) =>
    typeof value === "object" && value !== null ? Object.keys(value) : [],
  );
  const there = [...new Set(names)].slice(0, NAMES_SHOWN).join(", ");
  const where = shown === "" ? what : `\`${shown}\` of ${what}`;
  if (next === undefined) return `${where} is there, but is neither text nor a number`;
  return `${where} is there, but has no \`${next}\`${there === "" ? "" : `; it has ${there}`}`;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
