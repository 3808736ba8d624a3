/** What a column holds. */
export type Cell = string | number | null;

export type Row = readonly Cell[];

export interface LedgerTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns that name a row, in the order in which rows are read. */
  readonly key: readonly string[];
}

/** The highest number that each of these tables has ever had: numbers are not reused, even after their rows are deleted. */
export type Counters = Readonly<Record<"events" | "deliveries" | "audit", number>>;

export interface LedgerUser {
  readonly name: string;
  /** Counts as running until then, in milliseconds; a running process extends this every few seconds. */
  readonly until: number;
}

/** A ledger with its registry while nothing runs on it, table by table, for `sluice migrate`. */
export interface LedgerTables extends AsyncDisposable {
  /** Its URL without user name and password. */
  readonly shown: string;
  readonly tables: readonly LedgerTable[];
  /** Workers and controllers that use it now, or have done so until a moment ago. */
  users(): Promise<readonly LedgerUser[]>;
  count(table: string): Promise<number>;
  /** Rows in the order of their key, in batches, those after the given key. Both sides have the same order. */
  rows(table: LedgerTable, after?: Row): AsyncIterable<readonly Row[]>;
  counters(): Promise<Counters>;
  /** Whether something was written to it since it was opened. */
  hasChanged(): Promise<boolean>;
}

export interface TableProgress {
  /** Key of the last row that was written. */
  readonly after: Row;
  readonly rows: number;
}

export interface LedgerTarget extends LedgerTables {
  /** `unfinished`: an earlier migration to it was interrupted. `used`: it has rows of its own. */
  state(): Promise<"empty" | "unfinished" | "used">;
  /** Empties it, unless an earlier migration from the same source got so far. Until `finish`, services refuse to start on it. */
  begin(source: string): Promise<ReadonlyMap<string, TableProgress>>;
  /** Writes rows together with how far the table is. */
  append(table: LedgerTable, rows: readonly Row[], progress: TableProgress): Promise<void>;
  clear(table: LedgerTable): Promise<void>;
  setCounters(counters: Counters): Promise<void>;
  /** Durable when it returns. */
  finish(): Promise<void>;
}

export type MigrateErrorCode =
  | "running"
  | "not-empty"
  | "differs"
  | "changed"
  | "bad-row"
  | "other-run"
  | "same"
  | "no-ledger"
  | "old-version";

export class MigrateError extends Error {
  readonly code: MigrateErrorCode;
  constructor(code: MigrateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MigrateError";
    this.code = code;
  }
}
