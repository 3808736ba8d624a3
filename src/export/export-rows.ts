import { openRecordSet } from "../archive/extracted-records.ts";
import { itemPages, type Stores } from "../archive/manifest.ts";
import { parseRecords, readRunLines, type RecordSet } from "../archive/record-set.ts";
import { refuseDamage } from "../archive/stored-bytes.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec } from "../domain/job.ts";
import { type JudgedRecord, withoutNuls } from "../domain/record.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { KeptFile } from "./kept-files.ts";
import type { Column, ColumnType, OutputRow } from "./outputs/text-writer.ts";

const FIRST = "key";
const LAST: readonly Column[] = [
  { name: "_state" },
  { name: "_failure" },
  { name: "_detail" },
  { name: "_quality" },
  { name: "_missing", type: "json" },
  { name: "_malformed", type: "json" },
];
/** Only if a job has several scrapers. */
const SCRAPER: Column = { name: "_scraper" };
/** Only if a job switched to another version of its scraper. */
const VERSION: Column = { name: "_version" };
/** Only if a job uses freshness. */
const CHANGE: Column = { name: "_change" };
/** Only if items have kept files. */
const FILES: Column = { name: "_files", type: "json" };
const OWN = new Set([
  FIRST,
  ...LAST.map(({ name }) => name),
  SCRAPER.name,
  VERSION.name,
  CHANGE.name,
  FILES.name,
]);

/** One record with its item. An item without records has one entry too. */
export interface ExportEntry {
  readonly item: ItemView;
  readonly record?: JudgedRecord;
  /** The files that the item kept. */
  readonly files?: readonly KeptFile[];
}

/**
 * The columns of a job's table: the key, the input's fields, the record's fields, and the outcome. A record's field
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

  /** Derived from the fields of the job's scrapers, or of the selected one, and the first entries. */
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
    // A value that fills gaps may first be needed after these rows.
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

  /** Fields of later entries that have no column, because the first entries did not have them. */
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

/** The common type of all values; text if they differ or there are none. */
const typeOf = (rows: readonly OutputRow[], name: string, isDate: boolean): ColumnType =>
  commonType(
    rows
      .map((row) => row[name])
      .filter((value) => value !== null && value !== undefined)
      .map((value) => typeOfValue(value, isDate)),
  );

/** Text if they differ or there are none. */
export const commonType = (types: Iterable<ColumnType>): ColumnType => {
  const [type = "text", ...others] = new Set(types);
  return others.length > 0 ? "text" : type;
};

export const typeOfValue = (value: unknown, isDate: boolean): ColumnType => {
  if (isDate) return typeOfDate(value);
  const type = typeof value;
  if (type === "number" || type === "boolean") return type;
  return type === "object" ? "json" : "text";
};

/** A month or a year is not a point in time, and stays text. */
const typeOfDate = (value: unknown): ColumnType =>
  typeof value === "string" && DAY.test(value) ? (value.length === DAY_LENGTH ? "day" : "instant") : "text";
const DAY = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;
const DAY_LENGTH = "YYYY-MM-DD".length;

/** An item that was answered from the archive has the captures and records of its source item, from any job. */
export const withSource = async (
  ledger: Pick<Ledger, "readJob" | "listItems">,
  item: ItemView,
): Promise<ItemView> => {
  const from = item.skipped?.from;
  if (from === undefined || item.captures.length > 0) return item;
  // Before a job is removed, items answered with its captures get their own refs.
  if (!(await ledger.readJob(from.job))) return item;
  const { items } = await ledger.listItems(from.job, {
    after: { queue: from.queue, seq: from.seq - 1 },
    limit: 1,
  });
  const source = items.find(({ ref }) => ref.queue === from.queue && ref.seq === from.seq);
  return source ? { ...item, captures: source.captures, records: source.records } : item;
};

/** Entries in the order of the items: one per record, one for an item without records, none for an item with damaged records. */
export async function* withRecords(
  set: RecordSet,
  items: readonly ItemView[],
): AsyncGenerator<readonly ExportEntry[]> {
  for await (const batch of set.recordsOf(items))
    yield batch.flatMap(({ item, lines, blob, isDamaged }): ExportEntry[] => {
      if (isDamaged) return [];
      const records = parseRecords(item.key, { lines, blob });
      return records.length === 0 ? [{ item }] : records.map((record) => ({ item, record }));
    });
}

/** One item in a set of records. */
interface FoundItem {
  /** `JOB@first` or `JOB@EXTRACTION`. */
  readonly set: string;
  /** With that set's state, failure and quality. */
  readonly item: ItemView;
  readonly records: readonly (JudgedRecord & { readonly from?: string })[];
}

/** An item's records in the current set. Those of the run itself are found directly; an extraction is read up to the item. */
export const findItemRecords = async (
  { ledger, blobs }: Stores,
  job: string,
  item: ItemView,
): Promise<FoundItem> => {
  await using set = await openRecordSet(blobs, job);
  if (set.extraction)
    for await (const page of itemPages(ledger, job))
      for await (const batch of set.recordsOf(page)) {
        const own = batch.find(
          ({ item: { ref } }) => ref.queue === item.ref.queue && ref.seq === item.ref.seq,
        );
        if (own) return { set: set.name, item: own.item, records: parseRecords(item.key, own) };
      }
  const [own] = await readRunLines(blobs, [item], refuseDamage);
  return { set: set.name, item, records: parseRecords(item.key, own!) };
};
