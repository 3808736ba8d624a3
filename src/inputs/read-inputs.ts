import { CsvRows } from "./csv-rows.ts";
import {
  formatByContent,
  formatByName,
  formatOfAll,
  type InputFormat,
  type InputRow,
  MAX_ROW_LENGTH,
  type RowReader,
} from "./input-format.ts";
import { type InputSource, inputText } from "./input-text.ts";
import { JsonArrayRows, ndjsonRows, urlRows } from "./line-rows.ts";

/**
 * The rows of a file, of stdin (`-`) or of a stream, in batches: memory does not grow with the file. Without a format
 * the file's name decides, then its beginning. Throws `InputError`.
 */
export async function* readInputs(
  source: InputSource,
  options: {
    readonly format?: InputFormat;
    readonly name?: string;
    /** Characters parsed at once: few if the thread has other work. */
    readonly pieceLength?: number;
  } = {},
): AsyncGenerator<InputRow[]> {
  const { name = typeof source === "string" ? source : "the input stream" } = options;
  const file = name === "-" ? "stdin" : name;
  const known = options.format ?? formatByName(file);
  let reader = known && readerFor(known, file);
  let head = "";
  for await (const piece of inputText(source, file)) {
    let text = piece;
    if (reader === undefined) {
      head += piece;
      const format = formatByContent(head);
      if (format === undefined && head.length <= MAX_ROW_LENGTH) continue;
      reader = readerFor(format ?? formatOfAll(head, file), file);
      text = head;
    }
    const { pieceLength = text.length } = options;
    for (let at = 0; at < text.length; at += pieceLength) {
      const rows = reader.push(text.slice(at, at + pieceLength));
      if (rows.length > 0) yield rows;
    }
  }
  const early = reader === undefined ? (reader = readerFor(formatOfAll(head, file), file)).push(head) : [];
  const rows = [...early, ...reader.end()];
  if (rows.length > 0) yield rows;
}

const readerFor = (format: InputFormat, file: string): RowReader => {
  switch (format) {
    case "csv":
      return new CsvRows(file);
    case "tsv":
      return new CsvRows(file, "\t");
    case "ndjson":
      return ndjsonRows();
    case "urls":
      return urlRows();
    case "json":
      return new JsonArrayRows(file);
    default:
      return format satisfies never;
  }
};
