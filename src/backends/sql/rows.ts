import type { LoadArgs, LoadKind, LoadName } from "../../ledger/loads.ts";
import { KIND_OF } from "../../ledger/loads.ts";
import type { Job, Records } from "../../ledger/records.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { selectOf } from "./statements.ts";
import { FORMATS, type Value } from "./tables.ts";

/** What reading needs of a connection. */
export interface Rows {
  all<T>(sql: string, ...values: Value[]): T[];
  /** Rows as lists of their values. */
  arrays<T extends readonly unknown[]>(sql: string, ...values: Value[]): T[];
}

/** One set of records, as rules load it. */
export const readRecords = <N extends LoadName>(
  rows: Rows,
  name: N,
  ...args: LoadArgs<N>
): Records[LoadKind<N>][] =>
  rows
    .arrays<Value[]>(selectOf(name), JSON.stringify([args]))
    .map((row) => FORMATS[KIND_OF[name]].read(row, 1) as Records[LoadKind<N>]);

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const jobNamed = (rows: Rows, id: string): Job => {
  const [job] = readRecords(rows, "jobNamed", id);
  if (job) return job;
  const [removed] = readRecords(rows, "removal", id);
  if (removed)
    throw new LedgerError("job-removed", `${id}: the job was removed on ${dayOf(removed.markedAt)}.`);
  throw new LedgerError("no-such-job", `${id}: no such job. \`sluice jobs ls\` lists them.`);
};

/** One number. */
export const count = (rows: Rows, sql: string, ...values: Value[]): number =>
  Number(rows.arrays<[number]>(sql, ...values)[0]![0]);
