import { PassThrough, type Readable } from "node:stream";
import type { ByteSink } from "../export/outputs/byte-sink.ts";

/** An output that somebody reads while it is written: a slow reader holds up the writer. */
export class PipeSink implements ByteSink {
  readonly #pipe = new PassThrough();
  #isCommitted = false;

  constructor() {
    // That it was broken off is told to whoever writes; the event would end the process.
    this.#pipe.on("error", () => undefined);
  }

  get readable(): Readable {
    return this.#pipe;
  }

  async open(): Promise<void> {}

  async write(bytes: Uint8Array | string): Promise<void> {
    if (bytes.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      const onClose = () => reject(new Error("the reader has gone"));
      this.#pipe.once("close", onClose);
      this.#pipe.write(bytes, (error) => {
        this.#pipe.off("close", onClose);
        if (error) reject(error);
        else resolve();
      });
    });
  }

  async commit(): Promise<void> {
    this.#isCommitted = true;
    this.#pipe.end();
  }

  /** The reader must not take what it has for the whole. */
  async discard(): Promise<void> {
    if (!this.#isCommitted) this.#pipe.destroy(new Error("the output was broken off"));
  }
}
