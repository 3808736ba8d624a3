import { type Options, stringify } from "csv-stringify/sync";
import type { ByteSink } from "./open-output.ts";

/** How rows become text. */
interface TextFormat {
  header(columns: readonly Column[]): string;
  rows(columns: readonly Column[], rows: readonly OutputRow[]): string;
}

/** Formats that are written line by line; memory holds one batch. */
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

  async write(rows: readonly OutputRow[]): Promise<void> {
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
 * RFC 4180 with LF. Text that a spreadsheet would run as a formula gets a `'` in front; numbers, also those that come as
 * text (`-12.50`), stay as they are. Lists and objects are JSON; null is an empty cell.
 */
export const csvFormat: TextFormat = {
  header: (columns) => stringify([columns.map(({ name }) => name)], OPTIONS),
  // As arrays: csv-stringify would read a column name with a dot as a path.
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

/** One JSON object a line, every column in each of them: what a row does not have is null. */
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
