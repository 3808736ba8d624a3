import type { LoadArgs, LoadKind, LoadName } from "../../ledger/loads.ts";
import type { Kind, Records } from "../../ledger/records.ts";
import type { OnConflict } from "./statements.ts";
import type { Value } from "./tables.ts";

/** What an engine does next. The SQL is in the common dialect, see `dialect.ts`. */
export type Step =
  | { readonly ask: "all" | "arrays" | "run"; readonly sql: string; readonly values: readonly Value[] }
  | { readonly ask: "load"; readonly name: LoadName; readonly args: readonly Value[] }
  | {
      readonly ask: "put";
      readonly kind: Kind;
      readonly records: readonly object[];
      readonly onConflict: OnConflict;
    };

/**
 * Work on a database, independent of whether statements run synchronously or are awaited: SQLite runs it without interruption,
 * PostgreSQL over a connection. Each work is one transaction.
 */
export type Steps<T> = Generator<Step, T, unknown>;

/** Rows as objects. */
export function* all<T>(sql: string, ...values: Value[]): Steps<T[]> {
  return (yield { ask: "all", sql, values }) as T[];
}

/** Rows as lists of their values. */
export function* arrays<T extends readonly unknown[]>(sql: string, ...values: Value[]): Steps<T[]> {
  return (yield { ask: "arrays", sql, values }) as T[];
}

/** Runs a statement and returns the number of changed rows. */
export function* run(sql: string, ...values: Value[]): Steps<number> {
  return (yield { ask: "run", sql, values }) as number;
}

/** One number. */
export function* count(sql: string, ...values: Value[]): Steps<number> {
  return (yield* arrays<[number]>(sql, ...values))[0]![0];
}

/** One set of records, as loaded by rules. */
export function* load<N extends LoadName>(name: N, ...args: LoadArgs<N>): Steps<Records[LoadKind<N>][]> {
  return (yield { ask: "load", name, args }) as Records[LoadKind<N>][];
}

/** Writes records, replacing those with the same key, or only if there is none. Returns their number. */
export function* put<K extends Kind>(
  kind: K,
  records: readonly Records[K][],
  onConflict: OnConflict = "update",
): Steps<number> {
  return (yield { ask: "put", kind, records, onConflict }) as number;
}

/** Parts of the tables whose writers run one after the other. */
export type WritePart = "events" | "records" | "registry" | "removals";

/** An engine that runs steps. `now` is the ledger's clock. */
export interface StepEngine {
  /** With a consistent view of everything that is read. */
  read<T>(work: (now: number) => Steps<T>): Promise<T>;
  /** `durable: false` for changes that may be lost in a power cut, but never in a crash of a process. */
  write<T>(part: WritePart, work: (now: number) => Steps<T>, durable?: boolean): Promise<T>;
}
