import type { ItemView } from "../model/item.ts";
import type { JobSpec } from "../model/job.ts";
import type { JudgedRecord } from "../model/record.ts";
import { withoutNuls } from "../model/without-nuls.ts";
import type { KeptFile } from "./kept-files.ts";
import type { Column, ColumnType, OutputRow } from "./outputs/record-writer.ts";

const FIRST = "key";
const LAST: readonly Column[] = [
  { name: "_state" },
  { name: "_failure" },
  { name: "_detail" },
  { name: "_quality" },
  { name: "_missing", type: "json" },
  { name: "_malformed", type: "json" },
];
/** Only where a job has several. */
const SCRAPER: Column = { name: "_scraper" };
/** Only where a job has gone on with another version of its scraper. */
const VERSION: Column = { name: "_version" };
/** Only where a job asks for freshness. */
const CHANGE: Column = { name: "_change" };
/** Only where items have kept files. */
const FILES: Column = { name: "_files", type: "json" };
const OWN = new Set([
  FIRST,
  ...LAST.map(({ name }) => name),
  SCRAPER.name,
  VERSION.name,
  CHANGE.name,
  FILES.name,
]);

/** One record beside its item; an item without a record has a row too. */
export interface ExportEntry {
  readonly item: ItemView;
  readonly record?: JudgedRecord;
  /** What the item has kept as files. */
  readonly files?: readonly KeptFile[];
}

/**
 * What a table of the job looks like: the key, the input's fields, the record's fields, and how it went. A record's field
 * keeps its name; an input's field of the same name becomes `input.NAME`.
 */
export class ExportShape {
  readonly #required: ReadonlyMap<string, readonly string[]>;
  readonly #hasSeveral: boolean;
  readonly #hasVersions: boolean;
  readonly #hasChanges: boolean;
  readonly #hasFiles: boolean;
  readonly #inputs: ReadonlyMap<string, string>;
  readonly #fields: ReadonlyMap<string, string>;
  readonly #leftOut = new Set<string>();
  #columns: readonly Column[] = [];

  /** Learned from the fields of the job's scrapers, or of the one that is wanted, and its first entries. */
  constructor(
    { scrapers, earlier, freshness }: Pick<JobSpec, "scrapers" | "earlier" | "freshness">,
    first: readonly ExportEntry[],
    {
      scraper,
      fill = new Map(),
    }: { readonly scraper?: string; readonly fill?: ReadonlyMap<string, unknown> } = {},
  ) {
    this.#hasSeveral = scrapers.length > 1;
    this.#hasVersions = earlier !== undefined;
    this.#hasChanges = freshness !== undefined;
    this.#hasFiles = first.some(({ files = [] }) => files.length > 0);
    this.#required = new Map(scrapers.map(({ name, required }) => [name, required]));
    const wanted = scrapers.filter(({ name }) => scraper === undefined || scraper === name);
    const fields = [
      ...wanted.flatMap((one) => one.fields),
      ...first.flatMap(({ record }) => Object.keys(record?.fields ?? {})),
    ];
    this.#fields = new Map(fields.map((name) => [name, OWN.has(name) ? `record.${name}` : name]));
    const taken = new Set([...OWN, ...this.#fields.values()]);
    const inputs = first.flatMap(({ item }) => Object.keys(membersOf(item.input)));
    this.#inputs = new Map(inputs.map((name) => [name, taken.has(name) ? `input.${name}` : name]));
    const dates = new Set(wanted.flatMap((one) => (one.dates ?? []).map((name) => this.#fields.get(name))));
    const rows = first.map((entry) => this.row(entry));
    // A value that fills gaps may come later than the first rows.
    const filled = Object.fromEntries([...fill].map(([name, value]) => [this.#fields.get(name), value]));
    this.#columns = [
      { name: FIRST },
      ...[...this.#inputs.values(), ...this.#fields.values()].map((name) => ({
        name,
        type: typeOf([...rows, filled], name, dates.has(name)),
      })),
      ...LAST,
      ...(this.#hasSeveral ? [SCRAPER] : []),
      ...(this.#hasVersions ? [VERSION] : []),
      ...(this.#hasChanges ? [CHANGE] : []),
      ...(this.#hasFiles ? [FILES] : []),
    ];
    this.#leftOut.clear();
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  /** Fields that later entries had and the first ones did not: there is no column for them. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut];
  }

  row({ item, record, files = [] }: ExportEntry): OutputRow {
    if (files.length > 0 && !this.#hasFiles) this.#leftOut.add(FILES.name);
    // Without a prototype: a page may name a field `__proto__`.
    const row = Object.create(null) as Record<string, unknown>;
    for (const [name, value] of Object.entries(membersOf(item.input)))
      this.#set(row, this.#inputs, name, value);
    const gaps: Record<"missing" | "malformed", string[]> = { missing: [], malformed: [] };
    const required = this.#required.get(item.scraper) ?? [];
    for (const [name, field] of Object.entries(record?.fields ?? {})) {
      this.#set(row, this.#fields, name, field.value);
      const { status } = field;
      if ((status === "missing" || status === "malformed") && required.includes(name))
        gaps[status].push(name);
    }
    return withoutNuls({
      ...row,
      key: item.key,
      _state: item.state,
      _failure: item.failure?.kind ?? null,
      _detail: item.failure?.detail ?? null,
      _quality: record?.quality ?? item.quality ?? null,
      _missing: gaps.missing,
      _malformed: gaps.malformed,
      ...(this.#hasSeveral && { _scraper: item.scraper }),
      ...(this.#hasVersions && { _version: item.version ?? null }),
      ...(this.#hasChanges && { _change: item.change ?? null }),
      ...(this.#hasFiles && { _files: files }),
    });
  }

  #set(row: Record<string, unknown>, names: ReadonlyMap<string, string>, name: string, value: unknown): void {
    const column = names.get(name);
    if (column === undefined) this.#leftOut.add(name);
    else row[column] = value;
  }
}

const membersOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Readonly<Record<string, unknown>>)
    : { input };

/** What all values that are there have in common; text where they differ, or where there is none yet. */
const typeOf = (rows: readonly OutputRow[], name: string, isDate: boolean): ColumnType => {
  const types = new Set(
    rows
      .map((row) => row[name])
      .filter((value) => value !== null && value !== undefined)
      .map((value) => (isDate ? typeOfDate(value) : typeOfValue(value))),
  );
  const [type = "text", ...others] = types;
  return others.length > 0 ? "text" : type;
};

const typeOfValue = (value: unknown): ColumnType => {
  const type = typeof value;
  if (type === "number" || type === "boolean") return type;
  return type === "object" ? "json" : "text";
};

/** A month or a year is no point in time, and stays text. */
const typeOfDate = (value: unknown): ColumnType =>
  typeof value === "string" && DAY.test(value) ? (value.length === DAY_LENGTH ? "day" : "instant") : "text";
const DAY = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;
const DAY_LENGTH = "YYYY-MM-DD".length;
