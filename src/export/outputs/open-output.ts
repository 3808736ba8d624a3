import { accessSync, constants } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname, extname } from "node:path";
import type { Writable } from "node:stream";
import { OutputError, type OutputErrorCode } from "./output-error.ts";
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

/** Translates an error of the operating system. */
export const toOutputError = (cause: unknown, path: string): OutputError => {
  const systemCode = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const [code, reason, wayOut] = REASONS[systemCode] ?? [
    "failed",
    `it cannot be written (${cause instanceof Error ? cause.message : String(cause)})`,
    "Choose another place and export again",
  ];
  return new OutputError(code, path, reason, wayOut, { cause });
};

const NOT_WRITABLE = [
  "not-writable",
  "permission denied",
  "Choose another folder, or change its permissions",
] as const;
const NO_SPACE = [
  "no-space",
  "the disk is full",
  "Free some space or choose another disk, then export again",
] as const;
const NO_FOLDER = [
  "no-folder",
  "the folder does not exist",
  "Create it first, or choose another one",
] as const;

const CLOSED = ["closed", "the reader closed the pipe", "This is normal with commands such as head"] as const;

const REASONS: Readonly<Record<string, readonly [OutputErrorCode, string, string]>> = {
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  EISDIR: ["not-writable", "it is a folder", "Name a file"],
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EPIPE: CLOSED,
  ERR_STREAM_DESTROYED: CLOSED,
};

/** The target of one output. Errors are `OutputError`s. */
export interface ByteSink {
  open(): Promise<void>;
  /** Returns when more can be written. */
  write(bytes: Uint8Array | string): Promise<void>;
  commit(): Promise<void>;
  /** Leaves nothing behind. Does nothing after `commit`. */
  discard(): Promise<void>;
}

/** A file that gets its name when it is complete and on the disk; until then it is `….partial` beside it. */
export class PartialFile implements ByteSink {
  readonly #path: string;
  readonly #partial: string;
  #handle: FileHandle | undefined;
  #isCommitted = false;

  constructor(path: string) {
    this.#path = path;
    // Two processes that export to one name must not share a partial file.
    this.#partial = `${path}.${process.pid}.partial`;
  }

  async open(): Promise<void> {
    await this.#clearly(async () => {
      const target = await stat(this.#path).catch(() => undefined);
      if (target?.isDirectory() === true) throw Object.assign(new Error("is a folder"), { code: "EISDIR" });
      this.#handle = await open(this.#partial, "w");
    });
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    await this.#clearly(async () => this.#opened().appendFile(bytes));
  }

  async commit(): Promise<void> {
    await this.#clearly(async () => {
      await this.#opened().sync();
      await this.#opened().close();
      await rename(this.#partial, this.#path);
      this.#isCommitted = true;
    });
  }

  async discard(): Promise<void> {
    if (this.#handle === undefined || this.#isCommitted) return;
    await this.#handle.close();
    await rm(this.#partial, { force: true });
  }

  #opened(): FileHandle {
    if (this.#handle === undefined) throw new Error("the output is not open");
    return this.#handle;
  }

  async #clearly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      throw toOutputError(cause, this.#path);
    }
  }
}

/** Stdout or another stream owned by the caller: it is never ended. */
export class StreamSink implements ByteSink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  async open(): Promise<void> {
    // `write` reports a closed pipe; an unhandled event would end the process.
    this.#stream.on("error", ignore);
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => (error ? reject(toOutputError(error, "stdout")) : resolve()));
    });
  }

  async commit(): Promise<void> {
    await this.discard();
  }

  async discard(): Promise<void> {
    this.#stream.off("error", ignore);
  }
}

const ignore = (): void => {};
