import { extname } from "node:path";

export const INPUT_FORMATS = ["csv", "tsv", "ndjson", "urls", "json"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

const BY_EXTENSION: Readonly<Record<string, InputFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".urls": "urls",
};

/** By the file's name without `.gz`. Extensions with several formats (`.txt`, `.json`) do not count. */
export const formatByName = (file: string): InputFormat | undefined =>
  BY_EXTENSION[extname(file.replace(/\.gz$/i, "")).toLowerCase()];

/** By the beginning of the text; undefined while it is too short. */
export const formatByContent = (head: string): InputFormat | undefined => {
  const text = head.trimStart();
  if (text.startsWith("{")) return "ndjson";
  if (text.startsWith("[")) return "json";
  const lines = text.split(/[\r\n]+/);
  const line = lines.slice(0, -1).find((each) => each.trim() !== "" && !each.startsWith("#"));
  if (line === undefined) return undefined;
  return looksLikeUrl(line) ? "urls" : "csv";
};

/** The same for the complete text. */
export const formatOfAll = (text: string, file: string): InputFormat => {
  const format = formatByContent(`${text}\n`);
  if (format !== undefined) return format;
  throw new InputError(
    "empty",
    { file },
    "it has no inputs",
    "Expected a CSV, NDJSON or JSON file, or a list of URLs",
  );
};

const looksLikeUrl = (line: string): boolean => /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(line);

type InputErrorCode =
  | "not-found"
  | "unreadable"
  | "empty"
  | "no-header"
  | "bad-header"
  | "bad-json"
  | "bad-encoding"
  | "bad-gzip"
  | "expands"
  | "unknown-format";

/** The inputs as a whole cannot be read. A single bad row is not an error but a row with a `problem`. */
export class InputError extends Error {
  readonly code: InputErrorCode;
  readonly file: string;
  readonly line: number | undefined;
  constructor(
    code: InputErrorCode,
    at: { readonly file: string; readonly line?: number },
    reason: string,
    wayOut: string,
    options?: ErrorOptions,
  ) {
    super(`${at.file}${at.line === undefined ? "" : `:${at.line}`}: ${reason}. ${wayOut}.`, options);
    this.name = "InputError";
    this.code = code;
    this.file = at.file;
    this.line = at.line;
  }
}

/** One input, or why it could not be read. `line` is the 1-based line of the file where it begins. */
export type InputRow =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string };

/** Turns pieces of text into rows. An incomplete row at the end of a piece waits for the next one. */
export interface RowReader {
  push(text: string): InputRow[];
  end(): InputRow[];
}

/** The longest row, in UTF-16 units: an unclosed quote must not pull a whole file into memory. */
export const MAX_ROW_LENGTH = 1024 * 1024;
