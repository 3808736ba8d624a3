import { FailureError } from "../domain/failure.ts";
import { type OptionNames, unknownOption } from "../domain/known-options.ts";
import type { RawRecord } from "../domain/record.ts";
import type { Field } from "./define-field.ts";
import { type ExtractFunction, recordsByFunction } from "./extract-function.ts";
import { ExtractionError } from "./extraction-error.ts";
import { compileFields, type Fields, type RawFields, type RecordOf, valuesOf } from "./fields.ts";
import type { HtmlElement } from "./html-document.ts";
import { compileJsonRows } from "./json/json-source.ts";
import type { Each, JsonPlace } from "./place.ts";
import { listsWithin, pageLists } from "./query-lists.ts";
import { compileStream } from "./scan/stream-matcher.ts";
import { PageView, type ReadablePage, Scope } from "./scope.ts";
import { compileSelector, type Selector } from "./selector.ts";

export type { ReadablePage } from "./scope.ts";
export type { Fields } from "./fields.ts";

/** The `extract` block of a scraper. */
export interface ExtractSpec<F extends Fields = Fields> {
  /** Names of kept pages. Optional if only one page is kept. */
  readonly from?: string | readonly string[];
  /** The pages of `from` make one record together: each field is read from the first page that has it. Not with `each`. */
  readonly join?: true;
  /**
   * Each match is one record, and the fields' selectors are relative to it. With a place in JSON (`by.path("data.items[]")`) each
   * entry of the list is one record, and the fields' paths are relative to it.
   */
  readonly each?: Each;
  /** The fields of a record, by name; made with `field.…`. */
  readonly fields: F;
  /** Returns true, or the fields that are wrong with the reason: `{ paid: "more than was billed" }`. They become malformed. */
  readonly check?: RecordCheck<F>;
}

const EXTRACT_OPTIONS: OptionNames<ExtractSpec> = {
  from: true,
  join: true,
  each: true,
  fields: true,
  check: true,
};

/** An `extract` block, checked and compiled once for all items. */
export interface Extraction {
  /** In the order of the scraper; empty for a function, whose fields are known only from its records. */
  readonly fieldNames: readonly string[];
  readonly required: readonly string[];
  /** By name, fields of objects with dots (`address.street`); undefined for a function. */
  readonly fields?: ReadonlyMap<string, Field<unknown>>;
  /** The rows are entries of a JSON list, and an empty list is a valid result. If the list does not exist, `read` fails. */
  readonly mayBeEmpty?: true;
  /** Pure. Throws `ExtractionError`, `FailureError` for an unreadable page, or whatever a scraper's extract function throws. */
  readonly read: (pages: readonly ReadablePage[]) => RawRecord[];
}

/** Throws `ExtractionError` with code `bad-spec`, or `SelectorError`. */
export function compileExtraction(spec: ExtractSpec | ExtractFunction): Extraction {
  if (typeof spec === "function") {
    return { fieldNames: [], required: [], read: (pages) => recordsByFunction(spec, pages) };
  }
  const unknown = unknownOption(spec, EXTRACT_OPTIONS, "`extract`");
  if (unknown !== undefined) throw new ExtractionError("bad-spec", unknown.slice(0, -1));
  if (Object.keys(spec.fields).length === 0)
    throw new ExtractionError("bad-spec", "extract.fields is empty: name at least one field");
  if (spec.join && spec.each !== undefined)
    throw new ExtractionError("bad-spec", "extract.join is for one record: leave `each` out");
  const page = pageLists();
  const { each, json } = compileEach(spec.each);
  const own = spec.each === undefined ? page : listsWithin(page, json === undefined ? "element" : "json-row");
  const jsonRowsOf = json && compileJsonRows(json, page);
  const { leaves, readInto } = compileFields(spec.fields, own);
  const stream = compileStream({
    page: page.page.queries,
    ...(each !== undefined && { each: each.css, row: own.own.queries }),
  });
  const streamsPage = stream.canStream.includes(true);
  const streamsRows = each !== undefined && stream.canStreamEach && stream.canStreamRow.includes(true);

  const readRecord = (scope: Scope, from: string): RawRecord => {
    const fields: RawFields = {};
    readInto(scope, fields);
    if (spec.check !== undefined) applyCheck(spec.check, fields);
    return { from, fields };
  };

  const readPage = (kept: ReadablePage): RawRecord[] => {
    const view = new PageView(kept);
    const scanned = (streamsPage || streamsRows) && view.canScan ? stream.run(kept.text) : undefined;
    const scope = new Scope(view, page.page.queries, { scanned: scanned?.page });
    if (jsonRowsOf !== undefined) {
      const found = jsonRowsOf(scope);
      if (found === undefined) throw noList(json!, kept);
      return found.map((row) =>
        readRecord(new Scope(view, own.own.queries, { page: scope, row }), kept.name),
      );
    }
    if (each === undefined) return [readRecord(scope, kept.name)];

    let elements: readonly HtmlElement[] | undefined;
    const rows = (): readonly HtmlElement[] => (elements ??= view.document.all(each));
    const answers = streamsRows && scanned !== undefined ? scanned.rows.map((row) => row.answers) : undefined;
    return (answers ?? rows()).map((_, at) => {
      const row = new Scope(view, own.own.queries, {
        scanned: answers?.[at],
        page: scope,
        findElement: () => rows()[at],
      });
      return readRecord(row, kept.name);
    });
  };

  const names = [...leaves.keys()];
  return {
    fieldNames: names,
    required: names.filter((name) => leaves.get(name)?.isRequired === true),
    fields: leaves,
    ...(json !== undefined && { mayBeEmpty: true }),
    read: (pages) => {
      const records = pagesToRead(spec.from, pages).flatMap(readPage);
      return spec.join ? [joined(records)] : records;
    },
  };
}

/** Each field from the first record with a value, else from the first where it was found. */
function joined(records: readonly RawRecord[]): RawRecord {
  const [first, ...others] = records;
  const fields: RawFields = { ...first?.fields };
  for (const { fields: more } of others)
    for (const [name, found] of Object.entries(more)) {
      const known = fields[name];
      const isBetter =
        !known || known.raw === null || (known.isEmpty && found.raw !== null && !found.isEmpty);
      if (isBetter) fields[name] = found;
    }
  return { from: records.map(({ from }) => from).join(", "), fields };
}

/** Throws `ExtractionError` with code `bad-spec` for a place without rows, or `SelectorError`. */
function compileEach(each: Each | undefined): { readonly each?: Selector; readonly json?: JsonPlace } {
  if (each === undefined) return {};
  if (typeof each === "string") return { each: compileSelector(each) };
  if (each.how === "json") return { json: each };
  if (each.how === "css" && each.attribute === undefined) return { each: compileSelector(each.css) };
  throw new ExtractionError(
    "bad-spec",
    `extract.each is ${each.by}, which has no rows: use a CSS selector, or a place in JSON such as by.path("items[]")`,
  );
}

const noList = ({ by }: JsonPlace, { name, url, status }: ReadablePage): FailureError =>
  new FailureError({
    kind: "structure-changed",
    detail: `the page "${name}" loaded, but has nothing at ${by}, where its rows should be`,
    url,
    status,
  });

function pagesToRead(from: ExtractSpec["from"], pages: readonly ReadablePage[]): readonly ReadablePage[] {
  const kept = (): string => pages.map(({ name }) => `"${name}"`).join(", ") || "none";
  if (from === undefined) {
    if (pages.length === 1) return pages;
    throw new ExtractionError("no-page", `extract.from must name the pages to read (kept: ${kept()})`);
  }
  const names = [from].flat();
  const wanted = pages.filter(({ name }) => names.includes(name));
  if (wanted.length > 0) return wanted;
  throw new ExtractionError("no-page", `no page named "${names.join('" or "')}" was kept (kept: ${kept()})`);
}

/** Checks a record as a whole. Fields are named as in the record, those of objects with dots. */
export type RecordCheck<F> = {
  // Method parameters are bivariant: a check of one scraper's record must be assignable to a check of any record.
  check(record: RecordOf<F>): true | Readonly<Record<string, string>>;
}["check"];

/** Makes the fields malformed that the check names. A field that was not found stays missing. */
export function applyCheck(check: RecordCheck<never>, fields: RawFields): void {
  const verdict = askCheck(check, valuesOf(fields));
  if (verdict === true) return;
  for (const [name, problem] of Object.entries(verdict)) {
    const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (found === undefined)
      throw new ExtractionError(
        "bad-check",
        `extract.check names ${name}, which is not a field of the record`,
      );
    if (found.raw === null) continue;
    const { unavailable: _, ...rest } = found;
    fields[name] = { ...rest, isEmpty: false, value: null, problem: String(problem) };
  }
}

function askCheck(check: RecordCheck<never>, record: Record<string, unknown>): true | object {
  let verdict: unknown;
  try {
    verdict = (check as (record: unknown) => unknown)(record);
  } catch (error) {
    throw new ExtractionError(
      "bad-check",
      `extract.check failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (verdict === true || (typeof verdict === "object" && verdict !== null)) return verdict;
  throw new ExtractionError(
    "bad-check",
    "extract.check must return true, or an object of fields with what is wrong",
  );
}
