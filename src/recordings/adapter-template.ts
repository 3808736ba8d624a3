import { parseJsonPath, valuesAt } from "../extraction/json/json-path.ts";
import { cssText, xpathText } from "./escape-value.ts";
import { RecordingError } from "./recording-error.ts";

/** A JSON value as a text: that of an object is its JSON. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** A value with paths in it, as an adapter writes it. */
export type Template = unknown;

/** What a template is evaluated with. */
export interface TemplateScope {
  /** The recorded action. */
  readonly action: unknown;
  /** What the stars of `when` matched: `$1`, `$2`; of a locator, `$rest`. */
  readonly captures: Readonly<Record<string, string>>;
  /** For `"$selectors"`. */
  readonly selectors?: Template;
  readonly tables: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Texts that are replaced by the value at a path: `{ "$.text": "{{$.var}}" }`. */
  readonly placeholders: Readonly<Record<string, string>>;
}

/** `$.a.b[0]`, `$['odd name']`, `$.list[*].x` for all entries; `/a/b/0` is a JSON Pointer. */
const readPath = (path: string): ReturnType<typeof parseJsonPath> => {
  const known = paths.get(path);
  if (known) return known;
  const parsed = path.startsWith("/")
    ? path
        .slice(1)
        .split("/")
        .map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~")))
    : parseJsonPath(path.replaceAll("[*]", "[]").replace(/\['([^'"\\]*)'\]/g, '["$1"]'));
  if (paths.size < MOST_PATHS) paths.set(path, parsed);
  return parsed;
};

const MOST_PATHS = 1000;
const paths = new Map<string, ReturnType<typeof parseJsonPath>>();

/** All values at a path; null counts as nothing. */
export const allAt = (json: unknown, path: string): readonly unknown[] => {
  try {
    return valuesAt(json, readPath(path)).filter((value) => value !== undefined && value !== null);
  } catch (error) {
    throw new RecordingError(`The adapter has an ${(error as Error).message}.`, { cause: error });
  }
};

const PATH = String.raw`\$(?:\d|rest|selectors|(?:\.[A-Za-z_]\w*|\[(?:\d+|\*|'[^'"\\]*')\])+)`;
const WHOLE = new RegExp(`^${PATH}$`);
const PARTS = new RegExp(String.raw`\$\$|(${PATH})(?:\|(xpath|css|jsoni?))?`, "g");
const FILTERS: Readonly<Record<string, (value: string) => string>> = {
  xpath: xpathText,
  css: cssText,
  json: (value) => JSON.stringify(value),
  /** Playwright's mark for "ignore case" after a text. */
  jsoni: (value) => `${JSON.stringify(value)}i`,
};

const valuesOf = (path: string, scope: TemplateScope): readonly unknown[] => {
  if (!/^\$[.[]/.test(path)) {
    const capture = scope.captures[path.slice(1)];
    return capture === undefined ? [] : [capture];
  }
  const found = allAt(scope.action, path);
  const named = Object.hasOwn(scope.placeholders, path) ? scope.placeholders[path] : undefined;
  const stands = named === undefined || found.length === 0 ? undefined : fillTemplate(named, scope);
  return stands === undefined ? found : [stands];
};

/** The text with its paths replaced; undefined if one of them is not there. */
const fillTemplate = (template: string, scope: TemplateScope): string | undefined => {
  let isWhole = true;
  const text = template.replace(PARTS, (all, path: string | undefined, filter: string | undefined) => {
    if (path === undefined) return "$";
    const [value] = valuesOf(path, scope);
    if (value === undefined || typeof value === "object") isWhole = false;
    return filter === undefined ? textOf(value) : FILTERS[filter]!(textOf(value));
  });
  return isWhole ? text : undefined;
};

/** The value of a template; undefined if a path in it is not there. In a list, such entries are left out, and `[*]` gives all of its values. */
export const evaluate = (template: Template, scope: TemplateScope): unknown => {
  if (template === "$selectors") return evaluate(scope.selectors, scope);
  if (typeof template === "string")
    return WHOLE.test(template) ? valuesOf(template, scope)[0] : fillTemplate(template, scope);
  if (Array.isArray(template))
    return (template as readonly Template[]).flatMap((one) => evaluateEntry(one, scope));
  if (typeof template !== "object" || template === null) return template;
  if ("lookup" in template && "of" in template) return lookUp(template, scope);
  if ("join" in template) return join(template, scope);
  const entries = Object.entries(template).map(([name, one]) => [name, evaluate(one, scope)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
};

const evaluateEntry = (template: Template, scope: TemplateScope): readonly unknown[] => {
  if (typeof template === "string" && WHOLE.test(template) && template.includes("[*]"))
    return valuesOf(template, scope);
  const value = evaluate(template, scope);
  return value === undefined ? [] : [value];
};

const lookUp = (
  { lookup, of }: { readonly lookup: unknown; readonly of: unknown },
  scope: TemplateScope,
): unknown => {
  const key = evaluate(of, scope);
  if (key === undefined) return undefined;
  const table = scope.tables[textOf(lookup)] ?? {};
  if (!Object.hasOwn(table, textOf(key)))
    throw new RecordingError(`${JSON.stringify(key)} is not in the adapter's table ${textOf(lookup)}`);
  return table[textOf(key)];
};

const join = (
  template: { readonly join: unknown; readonly with?: unknown; readonly prefix?: unknown },
  scope: TemplateScope,
): unknown => {
  const parts = evaluate(template.join, scope);
  return Array.isArray(parts) && parts.length > 0
    ? `${textOf(template.prefix ?? "")}${parts.join(textOf(template.with ?? ""))}`
    : undefined;
};

/** What the stars of a pattern match in a text; undefined if it does not match. Each star matches as little as it can, the last one the rest. */
export const matchStars = (pattern: string, text: string): readonly string[] | undefined => {
  const pieces = pattern.split("*");
  const [first = "", ...others] = pieces;
  if (others.length === 0) return text === pattern ? [] : undefined;
  if (!text.startsWith(first)) return undefined;
  const stars: string[] = [];
  let at = first.length;
  for (const [index, piece] of others.entries()) {
    const isLast = index === others.length - 1;
    const found = isLast ? text.length - piece.length : text.indexOf(piece, at);
    if (found < at || !text.startsWith(piece, found)) return undefined;
    stars.push(text.slice(at, found));
    at = found + piece.length;
  }
  return stars;
};
