import type { KeptPage } from "../domain/capture.ts";
import { judgeRecord } from "../domain/judgement.ts";
import type { FieldStatus } from "../domain/record.ts";
import { isSameField, type RecordFields } from "../domain/same-records.ts";
import type { Field } from "../extraction/define-field.ts";
import { compileExtraction, type ExtractSpec } from "../extraction/extract-spec.ts";
import { field } from "../extraction/field.ts";
import type { Fields } from "../extraction/fields.ts";
import { by } from "../extraction/place.ts";
import { parseJsonPath, valuesAt } from "../extraction/json/json-path.ts";
import type { FieldPath } from "./chain.ts";
import { leafPaths, listPaths, MOST_PATHS } from "./json-paths.ts";

type Reading = { readonly status: FieldStatus; readonly value: unknown };
type Leaf = Field<unknown>;

/** JSON, and what the browser's scraper read from the page that a script made of it. */
export interface Sample {
  readonly json: unknown;
  /** That relative URLs belong to. */
  readonly url: string;
  readonly record: RecordFields;
}

export interface MatchedFields {
  readonly fields: readonly FieldPath[];
  /** Fields that are at no path. */
  readonly missing: readonly string[];
}

/** The rows of a list of records: a path, or undefined for one record per answer. */
export const matchRecords = (
  { fields, each }: ExtractSpec,
  answers: readonly {
    readonly json: unknown;
    readonly url: string;
    readonly records: readonly RecordFields[];
  }[],
): (MatchedFields & { readonly each?: string }) | undefined => {
  if (each === undefined) {
    if (answers.some(({ records }) => records.length !== 1)) return undefined;
    return matchFields(
      fields,
      answers.map(({ json, url, records }) => ({ json, url, record: records[0]! })),
    );
  }
  let best: (MatchedFields & { readonly each?: string }) | undefined;
  for (const path of listPaths(answers.map(({ json }) => json))) {
    const rows = answers.map(({ json }) => rowsAt(json, path));
    if (rows.some((of, at) => of.length !== answers[at]!.records.length)) continue;
    const samples = answers.flatMap(({ url, records }, at) =>
      records.map((record, row) => ({ json: rows[at]![row], url, record })),
    );
    const matched = { ...matchFields(fields, samples), each: path };
    if (best === undefined || matched.missing.length < best.missing.length) best = matched;
  }
  return best;
};

/** For each field a path where every sample has what its record says. Statuses count, except that an optional field may lack a value in either way. */
export const matchFields = (fields: Fields, samples: readonly Sample[]): MatchedFields => {
  const reader = new PathReader(samples);
  const found: FieldPath[] = [];
  const missing: string[] = [];
  for (const [name, leaf] of leavesOf(fields)) {
    const wanted = samples.map(({ record }) => record[name] ?? NONE);
    const path = matchField(name, leaf, wanted, reader);
    if (path === undefined) missing.push(name);
    else found.push(path);
  }
  return { fields: found, missing };
};

const NONE: Reading = { status: "missing", value: null };

const leavesOf = (fields: Fields, prefix = ""): (readonly [string, Leaf])[] =>
  Object.entries(fields).flatMap(([name, one]) =>
    one.kind === "object" ? leavesOf(one.fields, `${prefix}${name}.`) : [[`${prefix}${name}`, one] as const],
  );

const matchField = (
  name: string,
  leaf: Leaf,
  wanted: readonly Reading[],
  reader: PathReader,
): FieldPath | undefined => {
  if (leaf.kind === "table" || leaf.kind === "each") return matchRows(name, leaf, wanted, reader.samples);
  const kind = leaf.kind === "attr" ? "text" : leaf.kind;
  const hasValue = wanted.some(({ status }) => status === "present");
  const { lost, choices } = optionChoices(leaf.options);
  for (const options of choices) {
    const fits = reader.paths(kind === "list").filter((path) => {
      // Without a value in any sample, only the name can tell.
      if (!hasValue && !isNamedLike(path, name)) return false;
      return reader
        .read(kind, path, options)
        ?.every((got, at) => isSameField(wanted[at]!, got, leaf.isRequired));
    });
    const [path] = fits.toSorted(
      (a, b) => Number(isNamedLike(b, name)) - Number(isNamedLike(a, name)) || a.length - b.length,
    );
    if (path !== undefined) return { name, kind, path, isOptional: !leaf.isRequired, options, lost };
  }
  return undefined;
};

/** A list of objects in the record is a list of objects in the JSON, of the same length. */
const matchRows = (
  name: string,
  leaf: Leaf,
  wanted: readonly Reading[],
  samples: readonly Sample[],
): FieldPath | undefined => {
  const lists = wanted.map(({ value }) =>
    Array.isArray(value) ? (value as Readonly<Record<string, unknown>>[]) : [],
  );
  const fields = leaf.rows ?? textColumns(lists.flat());
  if (lists.flat().length === 0 || Object.keys(fields).length === 0) return undefined;
  for (const path of listPaths(samples.map(({ json }) => json))) {
    const rows = samples.map(({ json }) => rowsAt(json, path));
    if (rows.some((of, at) => of.length !== lists[at]!.length)) continue;
    const inside = samples.flatMap(({ url }, at) =>
      rows[at]!.map((json, row) => ({ json, url, record: asRecord(lists[at]![row]!) })),
    );
    const matched = matchFields(optionalOf(fields as Fields), inside);
    if (matched.missing.length > 0) continue;
    const { lost } = optionChoices(leaf.options);
    return {
      name,
      kind: "each",
      path,
      isOptional: !leaf.isRequired,
      options: {},
      rows: matched.fields,
      lost,
    };
  }
  return undefined;
};

/** Of rows only values are known: a null may be empty or missing. */
const optionalOf = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.optional()]));

const asRecord = (row: Readonly<Record<string, unknown>>, prefix = ""): RecordFields =>
  Object.assign(
    {},
    ...Object.entries(row).map(([name, value]): RecordFields => {
      const isGroup = typeof value === "object" && value !== null && !Array.isArray(value);
      if (isGroup) return asRecord(value as Readonly<Record<string, unknown>>, `${prefix}${name}.`);
      return { [`${prefix}${name}`]: { status: value === null ? "empty" : "present", value } };
    }),
  ) as RecordFields;

/** A table without columns has texts by its header. */
const textColumns = (rows: readonly Readonly<Record<string, unknown>>[]): Fields =>
  Object.fromEntries(
    [...new Set(rows.flatMap((row) => Object.keys(row)))]
      .filter((name) => !name.includes("."))
      .map((name) => [name, field.text("*")]),
  );

const isNamedLike = (path: string, name: string): boolean =>
  plain(
    path
      .split(/[.[\]"]+/)
      .filter(Boolean)
      .at(-1),
  ) === plain(name.split(".").at(-1));
const plain = (name = ""): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Options about how a value is written on a page; the others say which values are valid. */
const WRITING = new Set([
  "formats",
  "decimal",
  "locale",
  "unit",
  "inText",
  "currency",
  "deobfuscate",
  "country",
]);

/** Options as they are, then without those about the page's way of writing. Functions and markers of a page cannot be carried over. */
const optionChoices = (
  given: object,
): { readonly lost: readonly string[]; readonly choices: readonly Readonly<Record<string, unknown>>[] } => {
  const entries = Object.entries(given);
  const isLost = ([name, value]: [string, unknown]): boolean =>
    typeof value === "function" || name === "none" || name === "columns";
  const kept = entries.filter((entry) => !isLost(entry));
  const valid = kept.filter(([name]) => !WRITING.has(name));
  const lost = entries.filter((entry) => isLost(entry) && entry[0] !== "columns").map(([name]) => name);
  const choices = [kept, ...(valid.length < kept.length ? [valid] : [])];
  return { lost, choices: choices.map((one) => Object.fromEntries(one)) };
};

/** Reads JSON values as fields do; each kind with its options reads all paths at once. */
class PathReader {
  readonly samples: readonly Sample[];
  readonly #known = new Map<string, ReadonlyMap<string, readonly Reading[]>>();
  #paths: readonly [string[], string[]] | undefined;

  constructor(samples: readonly Sample[]) {
    this.samples = samples;
  }

  /** For lists, with `[]` in place of indexes. */
  paths(isList: boolean): readonly string[] {
    this.#paths ??= this.#collect();
    return this.#paths[isList ? 1 : 0];
  }

  read(kind: string, path: string, options: object): readonly Reading[] | undefined {
    const key = `${kind} ${JSON.stringify(options, (_, value: unknown) => (value instanceof RegExp ? String(value) : value))}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = this.#readAll(kind, options)));
    return known.get(path);
  }

  #readAll(kind: string, options: object): ReadonlyMap<string, readonly Reading[]> {
    const make = field[kind as "text"] as (where: unknown, options: object) => Leaf;
    const paths = this.paths(kind === "list");
    const fields = Object.fromEntries(paths.map((path, at) => [`p${at}`, make(by.path(path), options)]));
    if (paths.length === 0) return new Map();
    const extraction = compileExtraction({ fields });
    const read = this.samples.map(({ json, url }) => {
      const page: KeptPage = {
        name: "page",
        url,
        status: 200,
        mediaType: "application/json",
        text: JSON.stringify(json),
      };
      return judgeRecord(extraction.read([page])[0]!, []).fields;
    });
    return new Map(paths.map((path, at) => [path, read.map((one) => one[`p${at}`] ?? NONE)]));
  }

  #collect(): [string[], string[]] {
    const leaves = new Set<string>();
    for (const { json } of this.samples)
      for (const path of leafPaths(json, "")) if (leaves.size < MOST_PATHS) leaves.add(path);
    const lists = new Set(
      [...leaves].filter((path) => path.includes("[")).map((path) => path.replace(/\[\d+\]/g, "[]")),
    );
    for (const path of listPaths(this.samples.map(({ json }) => json))) lists.add(path);
    return [[...leaves], [...lists]];
  }
}

const rowsAt = (json: unknown, path: string): readonly unknown[] => valuesAt(json, parseJsonPath(path));
