import { extname } from "node:path";
import { InputError } from "./input-error.ts";

export const INPUT_FORMATS = ["csv", "tsv", "ndjson", "urls", "json"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

const BY_EXTENSION: Readonly<Record<string, InputFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".urls": "urls",
};

/** By the file's name, `.gz` left aside. Names that are used for several formats (`.txt`, `.json`) say nothing. */
export const formatByName = (file: string): InputFormat | undefined =>
  BY_EXTENSION[extname(file.replace(/\.gz$/i, "")).toLowerCase()];

/** By its beginning; undefined as long as there is too little of it to tell. */
export const formatByContent = (head: string): InputFormat | undefined => {
  const text = head.trimStart();
  if (text.startsWith("{")) return "ndjson";
  if (text.startsWith("[")) return "json";
  const lines = text.split(/[\r\n]+/);
  const line = lines.slice(0, -1).find((each) => each.trim() !== "" && !each.startsWith("#"));
  if (line === undefined) return undefined;
  return looksLikeUrl(line) ? "urls" : "csv";
};

/** The same when there is no more to come. */
export const formatOfAll = (text: string, file: string): InputFormat => {
  const format = formatByContent(`${text}\n`);
  if (format !== undefined) return format;
  throw new InputError(
    "empty",
    { file },
    "there is no input in it",
    "Give a CSV, NDJSON or JSON file, or a list of URLs",
  );
};

const looksLikeUrl = (line: string): boolean => /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(line);
