import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate, ValueDraft } from "./field-draft.ts";
import { kindOfAll, type PageStyle } from "./guess-kind.ts";
import { headingBefore, isBoilerplate } from "./page-markup.ts";
import { namingClasses, shortSelector } from "./short-selector.ts";
import { fieldName, freeName } from "./verify-fields.ts";

interface Rows {
  readonly each: string;
  readonly fields: readonly Candidate[];
}

const FEWEST_ROWS = 3;
const FEWEST_FIELDS = 2;
/** How many groups are tried, the largest first. */
const MOST_GROUPS = 10;
const ROW_TAGS = "div, li, article, section, tr";

/** The repeated block with most of the page's text: a listing, each row a record. */
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
    .filter((rows) => rows.length >= FEWEST_ROWS && !isBoilerplate(document, rows[0]!))
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
  /** Its label in every row. */
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

/** The innermost elements that have text and a name. */
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

const ITEM_LENGTH = 300;
const MOST_LISTS = 6;
const NAME_WORDS = 4;

/** Lists of short texts with a heading, but not menus, which are lists of links. */
export const findLists = (document: HtmlDocument): Candidate[] =>
  document
    .all(compileSelector("ul, ol"))
    .filter((list) => isOfTexts(document, list) && !isBoilerplate(document, list))
    .flatMap((list): Candidate[] => {
      const items = document.childrenOf(list).filter(({ tag }) => tag === "li");
      const css = shortSelector(document, items);
      const heading = headingBefore(document, list);
      const isName =
        heading !== undefined && heading.split(" ").length <= NAME_WORDS && !/[.!?)]$/.test(heading);
      const label = isName ? heading : ownName(document, list);
      return css === undefined || label === undefined
        ? []
        : [{ label, from: "list", choices: [{ type: "list", place: { css } }], isOptional: true }];
    })
    .slice(0, MOST_LISTS);

const isOfTexts = (document: HtmlDocument, list: HtmlElement): boolean => {
  const items = document.childrenOf(list);
  if (items.length === 0 || document.first(compileSelector("ul, ol, table, form, input"), list)) return false;
  const texts = items.map((item) => document.textOf(item));
  if (texts.some((text) => text === "" || text.length > ITEM_LENGTH)) return false;
  const linked = document.all(compileSelector("a"), list).map((link) => document.textOf(link));
  return linked.join("").length < texts.join("").length / 2;
};

const ownName = (document: HtmlDocument, list: HtmlElement): string | undefined => {
  const parent = document.parentOf(list);
  return namingClasses(document, list)[0] ?? (parent && namingClasses(document, parent)[0]);
};

const MOST_TABLES = 12;

/** Tables with a header row, one field each: a list of rows. */
export const findTables = (document: HtmlDocument, style: PageStyle): Candidate[] =>
  document
    .all(compileSelector("table"))
    .filter((table) => !document.first(compileSelector("table"), table) && !isBoilerplate(document, table))
    .slice(0, MOST_TABLES)
    .flatMap((table): Candidate[] => {
      const css = shortSelector(document, [table]);
      const columns = columnsOf(document, table, style);
      if (css === undefined || columns === undefined) return [];
      const label =
        headingBefore(document, table) ??
        document.attr(table, "summary") ??
        document.attr(table, "id") ??
        namingClasses(document, table)[0] ??
        "rows";
      return [{ label, from: "table", choices: [{ type: "table", css, columns }], isOptional: true }];
    });

const columnsOf = (
  document: HtmlDocument,
  table: HtmlElement,
  style: PageStyle,
): Readonly<Record<string, ValueDraft>> | undefined => {
  const [head, ...body] = document
    .all(compileSelector("tr"), table)
    .map((row) => document.childrenOf(row).filter(({ tag }) => tag === "td" || tag === "th"));
  if (head === undefined || head.length < 2 || !head.every(({ tag }) => tag === "th")) return undefined;
  const rows = body.filter((cells) => cells.length === head.length);
  if (rows.length === 0) return undefined;
  const columns: Record<string, ValueDraft> = {};
  for (const [at, cell] of head.entries()) {
    const column = document.textOf(cell);
    const name = fieldName(column);
    if (name === undefined) continue;
    const texts = rows.map((cells) => document.textOf(cells[at]!));
    const free = freeName(name, new Set(Object.keys(columns)));
    columns[free] = { ...kindOfAll(texts, column, style), place: { column } };
  }
  return Object.keys(columns).length < 2 ? undefined : columns;
};
