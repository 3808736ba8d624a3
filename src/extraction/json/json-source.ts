import { parseLenientJson } from "./lenient-json.ts";
import { LiteralReader } from "./literal-reader.ts";
import type { JsonSource } from "../place.ts";
import type { PageQuery } from "../scan/page-query.ts";

/** JSON that stands in elements of a page. */
export type ElementSource = Exclude<JsonSource, { in: "page" }>;

/** Asks for the elements whose text may hold this JSON. */
export function queryOf(source: ElementSource): PageQuery {
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
