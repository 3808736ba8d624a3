import type { LoadArgs, LoadKind, LoadName } from "../../ledger/loads.ts";
import { SETS } from "../../ledger/loads.ts";
import type { Job, Kind, Records } from "../../ledger/records.ts";
import { noJob } from "./job-named.ts";
import { insertOf, mostRows, type OnConflict, selectOf, sizeFor } from "./statements.ts";
import { FORMATS, type RowFormat, type Value } from "./tables.ts";

/** What reads need from a connection. */
export interface Rows {
  all<T>(sql: string, ...values: Value[]): T[];
  /** Rows as lists of their values. */
  arrays<T extends readonly unknown[]>(sql: string, ...values: Value[]): T[];
}

/** What writes need in addition. */
export interface Connection extends Rows {
  now(): number;
  /** Returns the number of changed rows. */
  run(sql: string, ...values: Value[]): number;
  read<T>(work: () => T): Promise<T>;
  write<T>(work: () => T, durable?: boolean): Promise<T>;
}

/** One set of records, as loaded by rules. */
export const readRecords = <N extends LoadName>(
  rows: Rows,
  name: N,
  ...args: LoadArgs<N>
): Records[LoadKind<N>][] =>
  rows
    .arrays<Value[]>(selectOf(name), JSON.stringify([args]))
    .map((row) => FORMATS[SETS[name].kind].read(row, 1) as Records[LoadKind<N>]);

/** Writes records, replacing those with the same key, or only if there is none. Returns their number. */
export const writeRecords = (
  db: Connection,
  kind: Kind,
  records: readonly object[],
  onConflict: OnConflict = "update",
): number => {
  const format: RowFormat<Kind> = FORMATS[kind];
  const width = format.written.length;
  const most = mostRows(format);
  let count = 0;
  for (let from = 0; from < records.length; from += most) {
    const some = from === 0 && records.length <= most ? records : records.slice(from, from + most);
    const rows = sizeFor(some.length);
    const values: Value[] = [];
    for (const record of some) format.write(record as never, values);
    const shared = sharedColumns(format, values);
    const bound = shared.length === 0 ? values : boundOnce(values, width, shared);
    while (bound.length < shared.length + rows * (width - shared.length)) bound.push(null);
    const insert = { rows, isFull: rows === some.length, onConflict, shared };
    count += db.run(insertOf(format, insert), ...bound);
  }
  return count;
};

/** Minimum number of rows for a separate statement. */
const LARGE_BATCH = 200;
/** Maximum number of sets of shared columns for which a table has statements. */
const MOST_SHARED = 4;
const knownShared = new Map<string, Set<string>>();

/** The columns with the same value in all rows of a large batch: binding a value takes as long as storing it. */
const sharedColumns = ({ table, written }: RowFormat<Kind>, values: readonly Value[]): readonly number[] => {
  const width = written.length;
  if (values.length < LARGE_BATCH * width) return [];
  const shared = written.keys().filter((column) => {
    let at = column + width;
    while (at < values.length && values[at] === values[column]) at += width;
    return at >= values.length;
  });
  const list = shared.toArray();
  const known = knownShared.get(table) ?? new Set();
  knownShared.set(table, known);
  if (known.size < MOST_SHARED) known.add(list.join());
  return known.has(list.join()) ? list : [];
};

const boundOnce = (values: readonly Value[], width: number, shared: readonly number[]): Value[] => {
  const others = Array.from({ length: width }, (_, n) => n).filter((n) => !shared.includes(n));
  const bound = shared.map((n) => values[n]!);
  for (let row = 0; row < values.length; row += width) for (const n of others) bound.push(values[row + n]!);
  return bound;
};

export const jobNamed = (rows: Rows, id: string): Job => {
  const [job] = readRecords(rows, "jobNamed", id);
  if (job) return job;
  const [removed] = readRecords(rows, "removal", id);
  throw noJob(id, removed);
};

/** One number. */
export const count = (rows: Rows, sql: string, ...values: Value[]): number =>
  rows.arrays<[number]>(sql, ...values)[0]![0];
