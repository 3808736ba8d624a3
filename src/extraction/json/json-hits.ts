import { decodeHTML } from "entities";
import { foldSpace } from "../folded-text.ts";
import type { Hit } from "../hit.ts";
import { isTooDeep } from "./is-too-deep.ts";

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
