import { decodeHTML } from "entities";
import { foldSpace } from "../folded-text.ts";
import type { Hit, JsonPlace, JsonSource } from "../place.ts";
import type { QueryLists } from "../query-lists.ts";
import type { PageQuery } from "../scan/page-query.ts";
import type { Scope } from "../scope.ts";
import { endsInEmptyList, entriesAt, type JsonEntry, type JsonPath } from "./json-path.ts";
import { isTooDeep, LiteralReader, parseLenientJson } from "./json-text.ts";
import type { JsonPlaces } from "./page-json.ts";

/** JSON in elements of a page. */
export type ElementSource = Exclude<JsonSource, { in: "page" }>;

/** Selects the elements whose text may hold this JSON. */
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

/** The values of a source in an element's text, usually one. */
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

/** In `@graph`, lists, and below other objects, outer before inner. `@type` may be a list, and a URL. */
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

/** How many times the length of a script is searched for values that turn out to be none. */
const MOST_TIMES = 4;

/** An expression on a literal is not the literal: `[…].concat(…)`, `{…}.items`, `[…][0]`. */
const GOES_ON = /^\s*(?:\.|\?\.)[\w$]|^\[/;

/**
 * Every value that the script assigns to the variable, `var`, `window.` and `["…"]` included. Assignments inside such a value do not
 * count.
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

/** JSON that paths start from. `places` locates its parts if it is the page itself. */
export interface JsonRoot extends JsonEntry {
  readonly places?: JsonPlaces;
}

/** A script that is a page of its own has no element around it. */
export const isScript = (mediaType: string): boolean =>
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/.test(mediaType);

/** Adds the source's query to the lists, and returns the function that looks up its JSON. */
export function jsonRoots(source: JsonSource, lists: QueryLists): (scope: Scope) => Iterable<JsonRoot> {
  if (source.in === "page")
    return (scope) => (scope.row !== undefined && source.isOfPage !== true ? [scope.row] : [scope.view.json]);
  const isOfPage = source.in !== "element";
  const key = JSON.stringify(source);
  const slot = (isOfPage ? lists.page : lists.own).add(queryOf(source));
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
 * Finds the rows of an `each` over JSON. If the path ends at a list, its entries are the rows, with or without a final `[]`. Undefined:
 * the path does not exist, which is not the same as an empty list.
 */
export function compileJsonRows(
  { source, path }: JsonPlace,
  lists: QueryLists,
): (scope: Scope) => readonly JsonRoot[] | undefined {
  const rootsOf = jsonRoots(source, lists);
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
      // A script may assign to its variable more than once: take the first list with entries.
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

/** How a field reads JSON: as text, as a link, as HTML source, or as JSON. */
export type JsonAs = "text" | "link" | "html" | "json";

/** The member that stands for an object where a text or a link is wanted, as in schema.org. */
const STANDS_FOR = {
  text: ["@value", "text", "name"],
  html: ["@value", "text", "name"],
  link: ["url", "contentUrl", "@id"],
} as const;

/** The values at the end of a path as hits of a field: at least one, since the path exists. */
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
  // JSON.stringify would turn Infinity (1e400) into null.
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
