import type { KeptPage } from "../domain/capture.ts";
import { type RawField, type RawRecord, withoutNuls } from "../domain/record.ts";
import { ExtractionError } from "./extraction-error.ts";
import type { HtmlDocument } from "./html-document.ts";
import { parseJsonPath, valuesAt } from "./json/json-path.ts";
import { PageView, type ReadablePage } from "./page-view.ts";
import { readers, type Readers, ReadValue } from "./read-value.ts";
import { compileSelector, type Selector } from "./selector.ts";

/** What a scraper's own extract function works with. */
export interface ExtractTools {
  /** The page as a document; parsed once, however often it is asked for. */
  readonly document: (page: KeptPage) => HtmlDocument;
  /** The page as JSON, parsed once; the item fails with `bad-content` where it is none. */
  readonly json: (page: KeptPage) => unknown;
  /** All values at the end of a path into JSON, such as `data.items[].price`; none where it leads nowhere. */
  readonly values: (json: unknown, path: string) => readonly unknown[];
  /** Reads a text or a value of JSON as the field of that name does: `price: read.money(text)`. */
  readonly read: Readers;
  /** A CSS selector for the document's questions; one that is bad throws and names the place. */
  readonly selector: (css: string) => Selector;
}

/**
 * Extraction in the scraper's own code: pure, not async, one plain object per record. In a record `undefined` means not
 * found, `null` and blank text mean that the site has no value.
 */
export type ExtractFunction = (pages: readonly KeptPage[], tools: ExtractTools) => unknown;

/** Throws `ExtractionError` with code `bad-return` when the function gives no records. */
export function recordsByFunction(extract: ExtractFunction, pages: readonly ReadablePage[]): RawRecord[] {
  const views = new Map(pages.map((page) => [page as KeptPage, new PageView(page)]));
  const viewOf = (page: KeptPage): PageView => {
    let view = views.get(page);
    if (view === undefined) views.set(page, (view = new PageView(page)));
    return view;
  };
  const tools: ExtractTools = {
    document: (page) => viewOf(page).document,
    json: (page) => viewOf(page).json.value,
    values: (json, path) => valuesAt(json, parseJsonPath(path)),
    read: readers(pages[0], viewOf),
    selector: compileSelector,
  };
  const from = [...new Set(pages.map(({ name }) => name))].join(", ");
  return [extract(pages, tools)].flat().map((record, index) => {
    if (!isPlainObject(record)) {
      const where = `record ${index + 1} of the extract function`;
      throw new ExtractionError("bad-return", `${where} is ${nameOf(record)}, not an object of fields`);
    }
    // fromEntries, because labels of a page may have become names, "__proto__" among them.
    return {
      from,
      fields: Object.fromEntries(
        Object.entries(record).map(([name, value]) => [withoutNuls(name), asField(value)]),
      ),
    };
  });
}

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

const nameOf = (value: unknown): string =>
  value instanceof Promise
    ? "a promise"
    : value === null
      ? "null"
      : Array.isArray(value)
        ? "an array"
        : typeof value;

/** What was read inside of a list or an object, and cannot be what it should, makes the whole of it malformed: it would look complete. */
function asJson(value: unknown): { readonly json: string | undefined; readonly problem?: string } {
  let problem: string | undefined;
  const json: string | undefined = JSON.stringify(value, function (this: object, key, part: unknown) {
    const own: unknown = Reflect.get(this, key);
    if (own instanceof ReadValue && own.field.problem !== undefined)
      problem ??= `${key}: ${own.field.problem}`;
    return part;
  });
  return { json, ...(problem !== undefined && { problem }) };
}

function asField(value: unknown): RawField {
  if (value instanceof ReadValue) return value.field;
  if (value === undefined) return { raw: null, isEmpty: false, value: null };
  if (value === null) return { raw: "", isEmpty: true, value: null };
  if (typeof value === "string") {
    const text = withoutNuls(value);
    const isEmpty = text.trim() === "";
    return { raw: text, isEmpty, value: isEmpty ? null : text };
  }
  const what = typeof value === "number" ? String(value) : typeof value;
  try {
    // Of a function or a symbol nothing is left, of NaN and Infinity a null.
    const { json, problem } = asJson(value);
    if (problem !== undefined) return { raw: json ?? what, isEmpty: false, value: null, problem };
    if (json !== undefined && json !== "null")
      return { raw: json, isEmpty: false, value: withoutNuls<unknown>(JSON.parse(json)) };
    return { raw: what, isEmpty: false, value: null, problem: `${what} cannot be kept as JSON` };
  } catch (error) {
    return {
      raw: what,
      isEmpty: false,
      value: null,
      problem: `${what} cannot be kept as JSON: ${String(error)}`,
    };
  }
}
