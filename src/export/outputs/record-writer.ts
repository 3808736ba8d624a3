/** What a column holds where a format has types of its own. `json` is for lists and objects; `day` and `instant` are dates as ISO text. */
export type ColumnType = "text" | "number" | "boolean" | "json" | "day" | "instant";

export interface Column {
  readonly name: string;
  /** Text unless told. */
  readonly type?: ColumnType;
}

/** One record beside its item: the key, the input's fields, the record's values, and how it all went. */
export interface OutputRow {
  readonly key: string;
  readonly _state: string;
  readonly _failure: string | null;
  readonly _quality: string | null;
  /** Names of the required fields that were not found. */
  readonly _missing: readonly string[];
  /** Names of the required fields that were found and could not be read. */
  readonly _malformed: readonly string[];
  readonly [field: string]: unknown;
}

/**
 * Writes rows to one place: `open` once, then any number of `write`, one after the other, then `close`. Nothing
 * is to be seen under the name asked for until `close` has returned; disposed of before that, nothing is left behind.
 */
export interface RecordWriter extends AsyncDisposable {
  /** Rows are written by these names, in this order; what a row has beside them is left out. */
  open(columns: readonly Column[]): Promise<void>;
  write(rows: readonly OutputRow[]): Promise<void>;
  close(): Promise<void>;
}
