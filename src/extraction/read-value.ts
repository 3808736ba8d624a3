import type { KeptPage } from "../domain/capture.ts";
import { judgeRecord } from "../domain/judgement.ts";
import type { FieldStatus, RawField } from "../domain/record.ts";
import type { Field, ReadField } from "./define-field.ts";
import { field } from "./field.ts";
import { foldSpace } from "./folded-text.ts";
import { NO_HITS } from "./hit.ts";
import type { Hit } from "./hit.ts";
import type { PageView } from "./page-view.ts";
import type { Place } from "./place.ts";
import { pageBook } from "./query-book.ts";
import { GivenScope } from "./scope.ts";

/** These read elements of a page, not a text. */
const OF_ELEMENTS = ["attr", "html", "table", "object", "each"] as const;
type Kind = Exclude<keyof typeof field, (typeof OF_ELEMENTS)[number]>;
const isKind = (name: string): name is Kind => !OF_ELEMENTS.some((one) => one === name);

type OptionsOf<K extends Kind> = Parameters<(typeof field)[K]>[1];
type ValueOf<K extends Kind> = ReturnType<(typeof field)[K]> extends Field<infer T> ? T : never;

/** One for each kind of field, with the options of that field. */
export type Readers = {
  /** What is given is a text, or a value of JSON; `undefined` is missing, and `null` is empty. For `list` it is a list of them. */
  readonly [K in Kind]: (value: unknown, options?: ReaderOptions<K>) => Reading<ValueOf<K>>;
};

type ReaderOptions<K extends Kind> = OptionsOf<K> &
  (K extends "url"
    ? {
        /** The page that a relative address is of; the first one by default. */
        readonly page?: KeptPage;
      }
    : unknown);

/** What a reader made of a text. */
interface Reading<T> {
  /** Null unless the status is `present`. */
  readonly value: T | null;
  /** `present`, `empty`, `missing` or `malformed`. */
  readonly status: FieldStatus;
  /** Why it is malformed. */
  readonly why: string | undefined;
}

/** As a member of a record it brings its status along. */
export class ReadValue<T> implements Reading<T> {
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

/** `first` is the page that relative addresses are of, unless another one is given. */
export function readers(first: KeptPage | undefined, viewOf: (page: KeptPage) => PageView): Readers {
  const nowhere: KeptPage = { name: "", url: "about:blank", status: 200, mediaType: "", text: "" };
  const readerOf =
    (kind: Kind) =>
    (value: unknown, options: { readonly page?: KeptPage } = {}): Reading<unknown> => {
      const { page = first ?? nowhere, ...rest } = options;
      const { read, book } = compiled(kind, rest);
      const { by: _, ...found } = read(new GivenScope(viewOf(page), book.page.queries, hitsOf(value, kind)));
      return new ReadValue(found);
    };
  // Each gives what the field of its name says.
  const kinds = Object.keys(field).filter(isKind);
  return Object.fromEntries(kinds.map((kind) => [kind, readerOf(kind)])) as unknown as Readers;
}

const GIVEN: Place = { how: "given", by: "read" };
const cache = new Map<string, ReturnType<typeof compile>>();
/** Options may be made from a page; so many of them are remembered. */
const MOST_KNOWN = 100;

/** A function is called for every page, and most write their options out each time: what is made of them is kept. */
function compiled(kind: Kind, options: object): ReturnType<typeof compile> {
  // Functions and patterns have no JSON of their own.
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
  const book = pageBook();
  // What a kind's options are was said where the reader was called.
  const make = field[kind] as (where: Place, options: object) => Field<unknown>;
  const read: ReadField<unknown> = make(GIVEN, options).compile(book);
  return { read, book };
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
  // Of a function or a symbol nothing is left.
  const text: string | undefined = JSON.stringify(value);
  return { text: text ?? typeof value, at: undefined, json: value };
}
