import { accessSync, constants } from "node:fs";
import { dirname, extname } from "node:path";
import type { Writable } from "node:stream";
import { OutputError, PartialFile, StreamSink, toOutputError } from "./byte-sink.ts";
import { ParquetWriter } from "./parquet-writer.ts";
import { csvFormat, jsonlFormat, type RecordWriter, TextWriter } from "./text-writer.ts";

/** A writer by the path's extension; without a path, or with `-`, JSON lines on stdout. */
export const openOutput = (path: string | undefined, stdout: Writable = process.stdout): RecordWriter => {
  if (path === undefined || path === "-") return new TextWriter(new StreamSink(stdout), jsonlFormat);
  switch (extname(path).toLowerCase()) {
    case ".csv":
      return new TextWriter(new PartialFile(path), csvFormat);
    case ".jsonl":
    case ".ndjson":
      return new TextWriter(new PartialFile(path), jsonlFormat);
    case ".parquet":
      return new ParquetWriter(new PartialFile(path), path);
    default:
      throw new OutputError(
        "unknown-extension",
        path,
        "its extension names no known format",
        "Use .csv, .jsonl, .ndjson or .parquet",
      );
  }
};

/** Reports an unknown format or a folder that is not writable before a job runs for hours. */
export const checkOutput = (path: string): void => {
  openOutput(path);
  if (path === "-") return;
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw toOutputError(error, path);
  }
};
