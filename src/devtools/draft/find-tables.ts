import type { HtmlDocument, HtmlElement } from "../../extraction/html-document.ts";
import { compileSelector } from "../../extraction/selector.ts";
import type { Candidate } from "./candidate.ts";
import type { ValueDraft } from "./field-draft.ts";
import { fieldName, freeName } from "./field-name.ts";
import { isFurniture } from "./furniture.ts";
import { kindOfAll } from "./guess-kind.ts";
import type { PageStyle } from "./page-style.ts";
import { headingBefore } from "./heading-before.ts";
import { namingClasses, shortSelector } from "./short-selector.ts";

const MOST_TABLES = 12;

/** Tables with a header row, one field each: a list of rows. */
export const findTables = (document: HtmlDocument, style: PageStyle): Candidate[] =>
  document
    .all(compileSelector("table"))
    .filter((table) => !document.first(compileSelector("table"), table) && !isFurniture(document, table))
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
