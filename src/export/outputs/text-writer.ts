import { type Options, stringify } from "csv-stringify/sync";
import type { ByteSink } from "./open-output.ts";

interface TextFormat {
  header(columns: readonly Column[]): string;
  rows(columns: readonly Column[], rows: readonly TableRow[]): string;
}

/** Writes line by line; memory holds one batch. */
export class TextWriter implements RecordWriter {
  readonly #sink: ByteSink;
  readonly #format: TextFormat;
  #columns: readonly Column[] = [];

  constructor(sink: ByteSink, format: TextFormat) {
    this.#sink = sink;
    this.#format = format;
  }

  async open(columns: readonly Column[]): Promise<void> {
    this.#columns = columns;
    await this.#sink.open();
    const header = this.#format.header(columns);
    if (header !== "") await this.#sink.write(header);
  }

  async write(rows: readonly TableRow[]): Promise<void> {
    if (rows.length > 0) await this.#sink.write(this.#format.rows(this.#columns, rows));
  }

  async close(): Promise<void> {
    await this.#sink.commit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sink.discard();
  }
}

/**
 * RFC 4180 with LF. Text that a spreadsheet would run as a formula gets a leading `'`; numbers, including those in text
 * form (`-12.50`), do not. Lists and objects are JSON; null is an empty cell.
 */
export const csvFormat: TextFormat = {
  header: (columns) => stringify([columns.map(({ name }) => name)], OPTIONS),
  // As arrays: csv-stringify would take a column name with a dot for a path.
  rows: (columns, rows) =>
    stringify(
      rows.map((row) => columns.map(({ name }) => row[name])),
      OPTIONS,
    ),
};

const OPTIONS: Options = {
  escape_formulas: true,
  cast: {
    string: (text) => (/^[+-]\d+(\.\d+)?$/.test(text) ? { value: text, escape_formulas: false } : text),
    boolean: (value) => String(value),
    date: (value) => value.toISOString(),
    object: (value) => JSON.stringify(value),
  },
};

/** One JSON object per line with every column; missing values are null. */
export const jsonlFormat: TextFormat = {
  header: () => "",
  rows: (columns, rows) =>
    rows
      .map((row) => {
        const entries = columns.map(({ name }) => [name, row[name] ?? null] as const);
        return `${JSON.stringify(Object.fromEntries(entries), withBigints)}\n`;
      })
      .join(""),
};

const withBigints = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

/** A column's type, for formats with types. `json` is for lists and objects; `day` and `instant` are dates as ISO text. */
export type ColumnType = "text" | "number" | "boolean" | "json" | "day" | "instant";

export interface Column {
  readonly name: string;
  /** Text by default. */
  readonly type?: ColumnType;
}

/** A row by the names of its columns. Errors name its key. */
export interface TableRow {
  readonly key: string;
  readonly [column: string]: unknown;
}

/** One record with its item: the key, the input's fields, the record's values, and the outcome. */
export interface OutputRow extends TableRow {
  readonly _state: string;
  readonly _failure: string | null;
  readonly _quality: string | null;
  /** Required fields that were not found. */
  readonly _missing: readonly string[];
  /** Required fields that were found but could not be read. */
  readonly _malformed: readonly string[];
}

/**
 * Writes rows to one target: `open` once, then `write` any number of times in sequence, then `close`. Nothing is
 * visible under the final name until `close` has returned; a writer that is disposed before leaves nothing behind.
 */
export interface RecordWriter extends AsyncDisposable {
  /** The columns to write, in this order; other members of a row are ignored. */
  open(columns: readonly Column[]): Promise<void>;
  write(rows: readonly TableRow[]): Promise<void>;
  close(): Promise<void>;
}
