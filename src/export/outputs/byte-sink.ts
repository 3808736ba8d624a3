import { open, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Writable } from "node:stream";
import { toOutputError } from "./output-error.ts";

/** Where the bytes of one output go. Errors are `OutputError`s. */
export interface ByteSink {
  open(): Promise<void>;
  /** Returns when there is room for more. */
  write(bytes: Uint8Array | string): Promise<void>;
  commit(): Promise<void>;
  /** Leaves nothing behind. Does nothing after `commit`. */
  discard(): Promise<void>;
}

/** A file that bears its name only once it is whole and on the disk; until then it lies beside it as `….partial`. */
export class PartialFile implements ByteSink {
  readonly #path: string;
  readonly #partial: string;
  #handle: FileHandle | undefined;
  #isCommitted = false;

  constructor(path: string) {
    this.#path = path;
    // Two processes that export to one name must not write into one file.
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

/** Stdout or another stream that belongs to somebody else: written to, never ended. */
export class StreamSink implements ByteSink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  async open(): Promise<void> {
    // A reader that goes away is told by `write`; the event would end the process.
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
