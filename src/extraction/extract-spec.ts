import type { KeptPage } from "../model/capture.ts";
import type { RawField, RawRecord } from "../model/record.ts";
import { baseUrlOf } from "./base-url.ts";
import type { Field } from "./define-field.ts";
import { recordsByFunction } from "./extract-function.ts";
import type { ExtractFunction } from "./extract-function.ts";
import { ExtractionError } from "./extraction-error.ts";
import { findField } from "./find-field.ts";
import { parseHtml } from "./html-document.ts";
import type { HtmlDocument, HtmlElement } from "./html-document.ts";
import { compileSelector } from "./selector.ts";

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The `extract` block of a scraper. */
export interface ExtractSpec<F extends Fields = Fields> {
  /** Names of kept pages. May be left out when only one page is kept. */
  readonly from?: string | readonly string[];
  /** Each match is a record of its own, and the fields' selectors are relative to it. */
  readonly each?: string;
  readonly fields: F;
}

/** A kept page, with its document where somebody has parsed it already. */
export interface ReadablePage extends KeptPage {
  readonly document?: HtmlDocument;
}

/** An `extract` block, checked and compiled once for all items. */
export interface Extraction {
  /** In the order of the scraper; none for a function, whose fields are known from its records only. */
  readonly fieldNames: readonly string[];
  readonly required: readonly string[];
  /** Pure. Throws `ExtractionError`, or whatever a scraper's own extract function throws. */
  readonly read: (pages: readonly ReadablePage[]) => RawRecord[];
}

/** Throws `ExtractionError` with code `bad-spec`, or `SelectorError`. */
export function compileExtraction(spec: ExtractSpec | ExtractFunction): Extraction {
  if (typeof spec === "function") {
    return { fieldNames: [], required: [], read: (pages) => recordsByFunction(spec, pages) };
  }
  const fields = Object.entries(spec.fields);
  checkFields(fields);
  const each = spec.each === undefined ? undefined : compileSelector(spec.each);

  const readPage = (page: ReadablePage): RawRecord[] => {
    const document = page.document ?? parseHtml(page.text);
    let base: string | undefined;
    const baseUrl = (): string => (base ??= baseUrlOf(document, page.url));
    const readRecord = (row?: HtmlElement): RawRecord => {
      const values: Record<string, RawField> = {};
      for (const [name, field] of fields) values[name] = field.read(findField(document, field, row), baseUrl);
      return { from: page.name, fields: values };
    };
    return each === undefined ? [readRecord()] : document.all(each).map(readRecord);
  };

  return {
    fieldNames: fields.map(([name]) => name),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    read: (pages) => pagesToRead(spec.from, pages).flatMap(readPage),
  };
}

function checkFields(fields: readonly (readonly [string, unknown])[]): void {
  if (fields.length === 0)
    throw new ExtractionError("bad-spec", "extract.fields is empty: name at least one field");
  for (const [name, field] of fields) {
    if (name === "__proto__") throw new ExtractionError("bad-spec", "a field cannot be named __proto__");
    if (typeof field !== "object" || field === null || !("read" in field) || !("selectors" in field)) {
      throw new ExtractionError(
        "bad-spec",
        `extract.fields.${name} is no field: make it with field.text(…) and the like`,
      );
    }
  }
}

function pagesToRead(from: ExtractSpec["from"], pages: readonly ReadablePage[]): readonly ReadablePage[] {
  const kept = pages.map(({ name }) => `"${name}"`).join(", ") || "none";
  if (from === undefined) {
    if (pages.length === 1) return pages;
    throw new ExtractionError("no-page", `extract.from must name the pages to read (kept: ${kept})`);
  }
  const names = [from].flat();
  const wanted = pages.filter(({ name }) => names.includes(name));
  if (wanted.length > 0) return wanted;
  throw new ExtractionError("no-page", `no page named "${names.join('" or "')}" was kept (kept: ${kept})`);
}
