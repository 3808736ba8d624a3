import { decodeHTML } from "entities";
import { foldSpace } from "../folded-text.ts";
import type { Hit, JsonPlace, JsonSource } from "../place.ts";
import type { QueryLists } from "../query-lists.ts";
import type { PageQuery } from "../scan/page-query.ts";
import { JsonScope, type Scope } from "../scope.ts";
import { endsInEmptyList, entriesAt, type JsonEntry, type JsonPath } from "./json-path.ts";
import { isTooDeep, LiteralReader, parseLenientJson } from "./json-text.ts";
import type { JsonPlaces } from "./page-json.ts";

/** JSON that stands in elements of a page. */
export type ElementSource = Exclude<JsonSource, { in: "page" }>;

/** Asks for the elements whose text may hold this JSON. */
function queryOf(source: ElementSource): PageQuery {
  switch (source.in) {
    case "json-ld":
      return { css: 'script[type^="application/ld+json"]', take: "raw", isMany: true };
    case "element":
      return { css: source.css, take: "raw", isMany: true };
    case "variable":
      return { css: "script", take: "raw", isMany: true };
    default:
      return source satisfies never;
  }
}

/** The values in an element's text that a source means, most often one. */
export function rootsIn(source: ElementSource, text: string): readonly unknown[] {
  switch (source.in) {
    case "json-ld": {
      const json = parseLenientJson(text);
      return thingsOfType(json, source.type);
    }
    case "element": {
      const json = parseLenientJson(text);
      return json === undefined ? [] : [json];
    }
    case "variable":
      return assignedTo(source.name, text);
    default:
      return source satisfies never;
  }
}

const DEEPEST = 20;

/** In `@graph`, lists, and below other things, the outer before the inner. A type may be one of several and a URL. */
function thingsOfType(json: unknown, type: string): readonly unknown[] {
  const found: unknown[] = [];
  let level: readonly unknown[] = [json];
  for (let depth = 0; level.length > 0 && depth < DEEPEST; depth++) {
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      if (!Array.isArray(one) && isOfType(one, type)) found.push(one);
      for (const inside of Object.values(one)) next.push(inside);
    }
    level = next;
  }
  return found;
}

function isOfType(thing: object, type: string): boolean {
  const types = "@type" in thing ? thing["@type"] : undefined;
  return [types].flat().some((one) => typeof one === "string" && one.replace(/^.*[/#:]/, "") === type);
}

const escape = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const assignments = new Map<string, RegExp>();

/** How often a script is gone over, in all, for values that turn out to be none. */
const MOST_TIMES = 4;

/** What is made of a literal is not the literal: `[…].concat(…)`, `{…}.items`, `[…][0]`. */
const GOES_ON = /^\s*(?:\.|\?\.)[\w$]|^\[/;

/**
 * Every value that the script gives to the variable, `var`, `window.` and `["…"]` included. What stands inside of such a value is
 * no assignment.
 */
function assignedTo(name: string, script: string): readonly unknown[] {
  const bare = name.replace(/^(?:window|self|globalThis)\./, "");
  if (!script.includes(bare.split(".").at(-1) ?? bare)) return [];
  let pattern = assignments.get(bare);
  if (pattern === undefined) {
    pattern = new RegExp(
      `(?<![\\w$.])(?:(?:window|self|globalThis)(?:\\.${escape(bare)}|\\[["']${escape(bare)}["']\\])|${escape(bare)})\\s*=(?![=>])\\s*`,
      "g",
    );
    assignments.set(bare, pattern);
  }
  const found: unknown[] = [];
  let left = MOST_TIMES * script.length;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(script); match !== null && left > 0; match = pattern.exec(script)) {
    const from = pattern.lastIndex;
    const reader = new LiteralReader(script, from);
    const value = reader.read();
    if (value === undefined) left -= reader.at - from;
    else pattern.lastIndex = reader.at;
    if (typeof value === "object" && value !== null && !GOES_ON.test(script.slice(reader.at, reader.at + 20)))
      found.push(value);
  }
  return found;
}

/** JSON that paths begin from. `places` knows where its parts begin, where it is the page itself. */
export interface JsonRoot extends JsonEntry {
  readonly places?: JsonPlaces;
}

/** A script that is a file of its own has no element around it. */
export const isScript = (mediaType: string): boolean =>
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/.test(mediaType);

/** Writes what the source asks of a page into the book, and gives the function that looks up its JSON, most often one. */
export function jsonRoots(source: JsonSource, book: QueryLists): (scope: Scope) => Iterable<JsonRoot> {
  if (source.in === "page")
    return (scope) =>
      scope instanceof JsonScope && source.isOfPage !== true ? [scope.row] : [scope.view.json];
  const isOfPage = source.in !== "element";
  const key = JSON.stringify(source);
  const slot = (isOfPage ? book.page : book.own).add(queryOf(source));
  return function* (scope) {
    if (source.in === "variable" && isScript(scope.view.page.mediaType)) {
      for (const value of rootsIn(source, scope.view.page.text)) yield { value, at: 0 };
      return;
    }
    for (const { text = "", at } of (isOfPage ? scope.page : scope).matches(slot))
      for (const value of scope.view.rootsIn(key, source, text)) yield { value, at };
  };
}

/**
 * Finds the rows of an `each` over JSON. Where the path ends at a list, its entries are the rows, with or without `[]` behind it. Undefined:
 * the path leads nowhere. That is not the same as a list without entries.
 */
export function compileJsonRows(
  { source, path }: JsonPlace,
  book: QueryLists,
): (scope: Scope) => readonly JsonRoot[] | undefined {
  const rootsOf = jsonRoots(source, book);
  return (scope) => {
    const rows: JsonRoot[] = [];
    let isThere = false;
    for (const root of rootsOf(scope)) {
      const entries = listAt(root, path.at(-1) === "[]" ? path.slice(0, -1) : path);
      if (entries === undefined) continue;
      isThere = true;
      const { places } = root;
      for (const entry of entries)
        rows.push({ ...entry, at: entry.at ?? root.at, ...(places && { places }) });
      // A script may give something to its variable more than once: the first list that has entries is meant.
      if (source.in === "variable" && rows.length > 0) break;
    }
    return isThere ? rows : undefined;
  };
}

function listAt(root: JsonRoot, path: JsonPath): readonly JsonEntry[] | undefined {
  const found = entriesAt(root, path, root.places);
  if (found.length === 0) return endsInEmptyList(root, path) ? [] : undefined;
  return found.flatMap((entry) => (entry.value === null ? [] : entriesAt(entry, ["[]"], root.places)));
}

/** What a field makes of JSON: a text, a link, the source of some HTML, or the JSON as it is. */
export type JsonAs = "text" | "link" | "html" | "json";

/** What an object stands for where a text or a link is wanted, as schema.org has it. */
const STANDS_FOR = {
  text: ["@value", "text", "name"],
  html: ["@value", "text", "name"],
  link: ["url", "contentUrl", "@id"],
} as const;

/** The values at the end of a path as hits of a field: at least one, since the path led somewhere. */
export function jsonHits(
  values: readonly unknown[],
  as: JsonAs,
  isMany: boolean,
  at: number | undefined,
): readonly Hit[] {
  if (as === "json") {
    const json = values.length === 1 ? values[0] : values;
    if (isTooDeep(json)) return [{ text: undefined, at, isTooLong: true }];
    return [{ text: json === null ? "" : JSON.stringify(json), at, json }];
  }
  const flat = values.flat(2).filter((value) => value !== null);
  if (flat.length === 0) return [{ text: "", at, json: null }];
  return (isMany ? flat : flat.slice(0, 1)).map((value) => hitOf(value, as, at));
}

function hitOf(value: unknown, as: Exclude<JsonAs, "json">, at: number | undefined): Hit {
  const json = simple(value, as);
  if (isTooDeep(json)) return { text: undefined, at, isTooLong: true };
  // JSON would write Infinity, which is what 1e400 becomes, as null.
  const text = typeof json === "number" ? String(json) : JSON.stringify(json);
  return { text: typeof json === "string" ? textOf(json, as) : text, at, json };
}

function simple(value: unknown, as: Exclude<JsonAs, "json">): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const name of STANDS_FOR[as]) {
    const inside = name in value ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    if (typeof inside === "string" || typeof inside === "number") return inside;
  }
  return value;
}

/** Many sites write `&amp;` into their JSON-LD. HTML keeps its entities. */
const textOf = (text: string, as: JsonAs): string =>
  as === "html" ? text : foldSpace(text.includes("&") ? decodeHTML(text) : text);
