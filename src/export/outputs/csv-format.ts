import { stringify } from "csv-stringify/sync";
import type { Options } from "csv-stringify/sync";
import type { TextFormat } from "./text-writer.ts";

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
