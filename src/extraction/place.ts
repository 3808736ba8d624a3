import { type OptionNames, refuseUnknownOptions } from "../domain/known-options.ts";
import type { JsonAs } from "./json/json-source.ts";
import { type JsonPath, parseJsonPath } from "./json/json-path.ts";
import { labelKey } from "./labels/label-index.ts";
import type { Taken } from "./scan/page-query.ts";
import { compileSelector } from "./selector.ts";

/** A place on a page where a value may be. `by` names it in records, as the scraper's author wrote it. */
export type Place = { readonly by: string } & (
  | { readonly how: "css"; readonly css: string; readonly attribute?: string; readonly isOfPage?: true }
  | { readonly how: "label"; readonly key: string; readonly within?: string }
  | { readonly how: "regex"; readonly pattern: RegExp; readonly within?: string }
  | { readonly how: "json"; readonly source: JsonSource; readonly path: JsonPath }
  | { readonly how: "column"; readonly key: string }
  /** The value that an extract function passes to a reader. */
  | { readonly how: "given" }
);

/** Where JSON is on a page. */
export type JsonSource =
  /** Objects of this schema.org type in the page's JSON-LD, at any depth. */
  | { readonly in: "json-ld"; readonly type: string }
  /** The text of an element. */
  | { readonly in: "element"; readonly css: string }
  /** The value that a script assigns to a variable: `window.__STATE__ = {…};` */
  | { readonly in: "variable"; readonly name: string }
  /** The page itself; in a JSON row, that row. */
  | { readonly in: "page"; readonly isOfPage?: true };

export type JsonPlace = Extract<Place, { how: "json" }>;

/** What makes a row: a CSS selector, or a place in JSON (`by.path`, `by.json`, `by.state`, `by.jsonLd`). */
export type Each = string | Place;

/** A CSS selector, a place, or a list of them: the first with a value wins. */
export type Where = string | Place | readonly (string | Place)[];

export interface Within {
  /** Look only inside the first match of this CSS selector. */
  readonly within?: string;
}

export const WITHIN_OPTIONS: OptionNames<Within> = { within: true };

/** Places that a CSS selector alone cannot describe. */
export const by = {
  /** A CSS selector; the same as a bare string. */
  css: (css: string): Place => ({ how: "css", by: css, css: checked(css) }),

  /** An attribute of the first match. `field.url`, `field.number` and the like then read the attribute instead of the text. */
  attr: (css: string, name: string): Place => ({
    how: "css",
    by: `${css} @${name}`,
    css: checked(css),
    attribute: name.toLowerCase(),
  }),

  /** The content of `<meta name|property|itemprop="…">`. Of the page, even inside `each`. */
  meta: (name: string): Place => {
    const text = JSON.stringify(name);
    const css = `meta[name=${text}], meta[property=${text}], meta[itemprop=${text}]`;
    return { how: "css", by: `meta ${name}`, css: checked(css), attribute: "content", isOfPage: true };
  },

  /** The value beside or below a label, however the page lays them out: table, definition list, form, `Label: value`. */
  label: (label: string, options: Within = {}): Place => {
    refuseUnknownOptions(options, WITHIN_OPTIONS, "by.label");
    const key = labelKey(label);
    if (key === "")
      throw new TypeError(`by.label(${JSON.stringify(label)}): a label needs letters or digits`);
    return { how: "label", by: `label "${label}"`, key, ...checkedWithin(options.within) };
  },

  /** The group named `value`, else the first group, else the whole match, in the visible text. */
  regex: (pattern: RegExp, options: Within = {}): Place => {
    refuseUnknownOptions(options, WITHIN_OPTIONS, "by.regex");
    return {
      how: "regex",
      by: `regex ${String(pattern)}`,
      pattern: new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`),
      ...checkedWithin(options.within),
    };
  },

  /**
   * In a page that is JSON, such as an API response: `by.path("data.items[0].price")`. Inside `each` over JSON it is relative to
   * the row, and `$.total` is relative to the page.
   */
  path: (path: string): Place => ({
    how: "json",
    by: path === "" ? "path" : `path ${path}`,
    source: { in: "page", ...(path.startsWith("$") && { isOfPage: true }) },
    path: parseJsonPath(path),
  }),

  /** In the page's JSON-LD: a path from the first object of this type. `author.name`, `image[0]`, `recipeIngredient[]`. */
  jsonLd: (type: string, path = ""): Place => ({
    how: "json",
    by: `json-ld ${[type, path].filter(Boolean).join(".")}`,
    source: { in: "json-ld", type },
    path: parseJsonPath(path),
  }),

  /** In the JSON that is an element's text: `by.json("script#__NEXT_DATA__", "props.page.price")`. */
  json: (css: string, path = ""): Place => ({
    how: "json",
    by: `json ${[css, path].filter(Boolean).join(" ")}`,
    source: { in: "element", css: checked(css) },
    path: parseJsonPath(path),
  }),

  /** In the value that a script assigns to a variable: `by.state("window.__STATE__", "item.price")`. */
  state: (name: string, path = ""): Place => ({
    how: "json",
    by: `state ${[name, path].filter(Boolean).join(" ")}`,
    source: { in: "variable", name },
    path: parseJsonPath(path),
  }),

  /** The cell below this header, in a column of `field.table`. */
  column: (header: string): Place => ({ how: "column", by: `column "${header}"`, key: labelKey(header) }),
};

/** Throws `SelectorError`: a scraper with a bad selector does not load. */
export function placesOf(where: Where): readonly Place[] {
  const places = [where].flat().map(placeOf);
  if (places.length === 0) throw new TypeError("a field needs at least one place");
  return places;
}

/** Types are not checked when a scraper is loaded, so this is. */
export function placeOf(where: string | Place): Place {
  if (typeof where === "string") return by.css(where);
  const given: unknown = where;
  if (typeof given === "object" && given !== null && "how" in given) return where;
  throw new TypeError('expected a CSS selector or a place such as by.label("Owner")');
}

const checked = (css: string): string => compileSelector(css).css;

const checkedWithin = (within: string | undefined): { within?: string } =>
  within === undefined ? {} : { within: checked(within) };

/** One match of a place. A scan's `Match` is one. */
export interface Hit {
  /** Undefined: the element exists, but not the attribute to take from it. */
  readonly text: string | undefined;
  /** Where its element begins in the page's text. */
  readonly at: number | undefined;
  /** The value itself if it was JSON. */
  readonly json?: unknown;
  /** Visible text, though a link was wanted. */
  readonly isProse?: true;
  /** The text of a link without an address: it counts only if it is a placeholder. */
  readonly isBare?: boolean;
  /** Too deeply nested to be taken. */
  readonly isTooLong?: true;
}

export const NO_HITS: readonly Hit[] = [];

/** What a field takes from the elements it finds. */
export interface Taking {
  /** Most take one thing; an e-mail address may be in the text, the link or an attribute. */
  readonly takes: readonly Taken[];
  /** Chooses among the texts, in the order of `takes`. */
  readonly pick?: (texts: readonly (string | undefined)[]) => string | undefined;
  /** All matches instead of the first. */
  readonly isMany: boolean;
  readonly jsonAs: JsonAs;
}
