import { extname } from "node:path";
import type { Writable } from "node:stream";
import { PartialFile, StreamSink } from "./byte-sink.ts";
import { csvFormat } from "./csv-format.ts";
import { jsonlFormat } from "./jsonl-format.ts";
import { OutputError } from "./output-error.ts";
import { ParquetWriter } from "./parquet-writer.ts";
import type { RecordWriter } from "./record-writer.ts";
import { TextWriter } from "./text-writer.ts";

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
        "its name does not say what to write",
        "End it with .csv, .jsonl, .ndjson or .parquet",
      );
  }
};
