import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate } from "./candidate.ts";
import { isFurniture } from "./furniture.ts";
import { kindOfAll } from "./guess-kind.ts";
import type { PageStyle } from "./page-style.ts";
import { namingClasses, shortSelector } from "./short-selector.ts";

interface Rows {
  readonly each: string;
  readonly fields: readonly Candidate[];
}

const FEWEST_ROWS = 3;
const FEWEST_FIELDS = 2;
/** Groups that are tried, the largest first. */
const MOST_GROUPS = 10;
const ROW_TAGS = "div, li, article, section, tr";

/** The repeated block that holds most of the page's text: a listing, of which each row is a record. */
export const findRows = (document: HtmlDocument, style: PageStyle): Rows | undefined => {
  const groups = new Map<HtmlElement | undefined, Map<string, HtmlElement[]>>();
  for (const element of document.all(compileSelector(ROW_TAGS))) {
    const parent = document.parentOf(element);
    const name = element.tag === "tr" ? "tr" : namingClasses(document, element)[0];
    if (name === undefined) continue;
    const named = groups.get(parent) ?? new Map<string, HtmlElement[]>();
    groups.set(parent, named);
    named.set(name, [...(named.get(name) ?? []), element]);
  }
  const candidates = [...groups.values()]
    .flatMap((named) => [...named.values()])
    .filter((rows) => rows.length >= FEWEST_ROWS && !isFurniture(document, rows[0]!))
    .map((rows) => ({ rows, size: rows.reduce((sum, row) => sum + document.textOf(row).length, 0) }))
    .sort((a, b) => b.size - a.size)
    .slice(0, MOST_GROUPS);
  for (const { rows } of candidates) {
    const each = shortSelector(document, rows) ?? tableRows(document, rows);
    const fields = each === undefined ? [] : fieldsOf(document, rows, style);
    if (each !== undefined && fields.length >= FEWEST_FIELDS) return { each, fields };
  }
  return undefined;
};

/** The rows of a table that has a header row too. */
const tableRows = (document: HtmlDocument, rows: readonly HtmlElement[]): string | undefined => {
  const body = rows[0] && document.parentOf(rows[0]);
  const table = body?.tag === "tbody" ? document.parentOf(body) : undefined;
  const css = table && shortSelector(document, [table]);
  const each = css && `${css} tbody tr`;
  return each && document.all(compileSelector(each)).length === rows.length ? each : undefined;
};

interface Part {
  /** What it is called in every row. */
  readonly css: string;
  readonly label: string;
  readonly texts: string[];
  rows: number;
  isMany: boolean;
}

const fieldsOf = (document: HtmlDocument, rows: readonly HtmlElement[], style: PageStyle): Candidate[] => {
  const parts = new Map<string, Part>();
  for (const row of rows) {
    const seen = new Set<string>();
    for (const leaf of leavesOf(document, row)) {
      const [name] = namingClasses(document, leaf);
      const isHeading = /^h[1-6]$/.test(leaf.tag);
      const css = name === undefined ? leaf.tag : `.${name}`;
      if (name === undefined && !isHeading) continue;
      const part = parts.get(css) ?? { css, label: name ?? "title", texts: [], rows: 0, isMany: false };
      parts.set(css, part);
      part.texts.push(document.textOf(leaf));
      if (seen.has(css)) part.isMany = true;
      else part.rows++;
      seen.add(css);
    }
  }
  const texts = [...parts.values()]
    .filter((part) => part.rows > rows.length / 2 && new Set(part.texts).size > 1)
    .map((part) => textPart(part, rows.length, style));
  return [...texts, ...linkParts(document, rows)];
};

const textPart = ({ css, label, texts, rows, isMany }: Part, all: number, style: PageStyle): Candidate => {
  const kind = isMany ? { type: "list" as const } : kindOfAll(texts, label, style);
  const fallback = isMany ? [] : [{ type: "text" as const, place: { css } }];
  const choices = [{ ...kind, place: { css } }, ...fallback];
  return { label, from: "row", choices, isOptional: rows < all };
};

/** The innermost elements that say something and are called something. */
const leavesOf = (document: HtmlDocument, row: HtmlElement): HtmlElement[] =>
  document
    .all(compileSelector("*"), row)
    .filter((element) => document.textOf(element) !== "" && !hasNamedPart(document, element));

const hasNamedPart = (document: HtmlDocument, element: HtmlElement): boolean =>
  document
    .childrenOf(element)
    .some((child) => namingClasses(document, child).length > 0 || hasNamedPart(document, child));

const linkParts = (document: HtmlDocument, rows: readonly HtmlElement[]): Candidate[] => {
  const has = (css: string) => rows.filter((row) => document.first(compileSelector(css), row)).length;
  return (
    [
      ["url", "a[href]", has("a[href]")],
      ["image", "img[src]", has("img[src]")],
    ] as const
  )
    .filter(([, , count]) => count > rows.length / 2)
    .map(([label, css, count]) => ({
      label,
      from: "row",
      choices: [{ type: "url", place: { css } }],
      isOptional: count < rows.length,
    }));
};
