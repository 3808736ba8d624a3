import type { KeptPage } from "../domain/capture.ts";
import { judgeRecord } from "../domain/judgement.ts";
import { type FieldStatus, type RawField, type RawRecord, withoutNuls } from "../domain/record.ts";
import type { Field, ReadField } from "./define-field.ts";
import { ExtractionError } from "./extraction-error.ts";
import { field } from "./field.ts";
import { foldSpace } from "./folded-text.ts";
import type { HtmlDocument } from "./html-document.ts";
import { parseJsonPath, valuesAt } from "./json/json-path.ts";
import { type Hit, NO_HITS, type Place } from "./place.ts";
import { pageLists } from "./query-lists.ts";
import { Scope, PageView, type ReadablePage } from "./scope.ts";
import { compileSelector, type Selector } from "./selector.ts";

/** What a scraper's own extract function can use. */
export interface ExtractTools {
  /** The page as a document, parsed once. */
  readonly document: (page: KeptPage) => HtmlDocument;
  /** The page as JSON, parsed once. If it is not JSON, the item fails with `bad-content`. */
  readonly json: (page: KeptPage) => unknown;
  /** All values at the end of a JSON path such as `data.items[].price`; none if the path does not exist. */
  readonly values: (json: unknown, path: string) => readonly unknown[];
  /** Reads a text or a JSON value as the field of that name does: `price: read.money(text)`. */
  readonly read: Readers;
  /** A CSS selector for `document`. Throws if it is invalid. */
  readonly selector: (css: string) => Selector;
}

/**
 * Extraction by the scraper's own code: pure, synchronous, one plain object per record. In a record `undefined` means not found;
 * `null` and blank text mean that the site has no value.
 */
export type ExtractFunction = (pages: readonly KeptPage[], tools: ExtractTools) => unknown;

/** Throws `ExtractionError` with code `bad-return` if the function returns something other than records. */
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
    // fromEntries, because labels of a page may be used as names, "__proto__" among them.
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

/** A malformed value inside a list or an object makes the whole malformed: it would look complete. */
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
    // JSON.stringify drops functions and symbols, and turns NaN and Infinity into null.
    const { json, problem } = asJson(value);
    if (problem !== undefined) return { raw: json ?? what, isEmpty: false, value: null, problem };
    if (json !== undefined && json !== "null")
      return { raw: json, isEmpty: false, value: withoutNuls<unknown>(JSON.parse(json)) };
    return { raw: what, isEmpty: false, value: null, problem: `${what} cannot be stored as JSON` };
  } catch (error) {
    return {
      raw: what,
      isEmpty: false,
      value: null,
      problem: `${what} cannot be stored as JSON: ${String(error)}`,
    };
  }
}

/** These read elements of a page, not a text. */
const OF_ELEMENTS = ["attr", "html", "table", "object", "each"] as const;
type Kind = Exclude<keyof typeof field, (typeof OF_ELEMENTS)[number]>;
const isKind = (name: string): name is Kind => !OF_ELEMENTS.some((one) => one === name);

type OptionsOf<K extends Kind> = Parameters<(typeof field)[K]>[1];
type ValueOf<K extends Kind> = ReturnType<(typeof field)[K]> extends Field<infer T> ? T : never;

/** One reader for each kind of field, with that field's options. */
type Readers = {
  /** Takes a text or a JSON value; `undefined` is missing and `null` is empty. For `list`, an array of them. */
  readonly [K in Kind]: (value: unknown, options?: ReaderOptions<K>) => Reading<ValueOf<K>>;
};

type ReaderOptions<K extends Kind> = OptionsOf<K> &
  (K extends "url"
    ? {
        /** The page that a relative URL belongs to; the first page by default. */
        readonly page?: KeptPage;
      }
    : unknown);

interface Reading<T> {
  /** Null unless the status is `present`. */
  readonly value: T | null;
  /** `present`, `empty`, `missing` or `malformed`. */
  readonly status: FieldStatus;
  /** Why it is malformed. */
  readonly why: string | undefined;
}

/** In a record it keeps its status. */
class ReadValue<T> implements Reading<T> {
  readonly value: T | null;
  readonly status: FieldStatus;
  readonly why: string | undefined;
  readonly field: RawField;

  constructor(read: RawField & { readonly value: T | null }) {
    const judged = judgeRecord({ from: "", fields: { read } }, []).fields["read"];
    this.value = read.value;
    this.status = judged?.status ?? "missing";
    this.why = judged?.why;
    this.field = read;
  }

  toJSON(): T | null {
    return this.value;
  }
}

/** `first` is the page that relative URLs belong to, unless another one is given. */
function readers(first: KeptPage | undefined, viewOf: (page: KeptPage) => PageView): Readers {
  const nowhere: KeptPage = { name: "", url: "about:blank", status: 200, mediaType: "", text: "" };
  const readerOf =
    (kind: Kind) =>
    (value: unknown, options: { readonly page?: KeptPage } = {}): Reading<unknown> => {
      const { page = first ?? nowhere, ...rest } = options;
      const { read, lists } = compiled(kind, rest);
      const { by: _, ...found } = read(
        new Scope(viewOf(page), lists.page.queries, { hits: hitsOf(value, kind) }),
      );
      return new ReadValue(found);
    };
  // Each returns what the field of its name returns.
  const kinds = Object.keys(field).filter(isKind);
  return Object.fromEntries(kinds.map((kind) => [kind, readerOf(kind)])) as unknown as Readers;
}

const GIVEN: Place = { how: "given", by: "read" };
const cache = new Map<string, ReturnType<typeof compile>>();
/** Options may be built from a page's content, so the cache is bounded. */
const MOST_KNOWN = 100;

/** Functions run for every page, and most repeat their options each time: the compiled field is cached. */
function compiled(kind: Kind, options: object): ReturnType<typeof compile> {
  // Functions and patterns cannot be part of a JSON key.
  const isPlain = Object.values(options).every(
    (one) => typeof one !== "function" && !(one instanceof RegExp),
  );
  if (!isPlain) return compile(kind, options);
  const key = `${kind} ${JSON.stringify(options)}`;
  let known = cache.get(key);
  if (known === undefined) {
    if (cache.size >= MOST_KNOWN) cache.clear();
    cache.set(key, (known = compile(kind, options)));
  }
  return known;
}

function compile(kind: Kind, options: object) {
  const lists = pageLists();
  // The type of the options was checked where the reader was called.
  const make = field[kind] as (where: Place, options: object) => Field<unknown>;
  const read: ReadField<unknown> = make(GIVEN, options).compile(lists);
  return { read, lists };
}

function hitsOf(value: unknown, kind: Kind): readonly Hit[] {
  if (value === undefined) return NO_HITS;
  if (kind === "list" && Array.isArray(value)) {
    const hits = value.map(hitOf);
    return hits.length === 0 ? [hitOf(null)] : hits;
  }
  return [hitOf(value)];
}

function hitOf(value: unknown): Hit {
  if (typeof value === "string") return { text: foldSpace(value), at: undefined };
  if (value === null) return { text: "", at: undefined, json: null };
  // JSON.stringify returns undefined for functions and symbols.
  const text: string | undefined = JSON.stringify(value);
  return { text: text ?? typeof value, at: undefined, json: value };
}
