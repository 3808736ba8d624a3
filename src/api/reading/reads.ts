import { once } from "node:events";
import { Readable } from "node:stream";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Stores } from "../../archive/manifest.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import type { ReadRequest } from "./answer-read.ts";
import { type ReadCall, type ReadReply, serveReads } from "./serve-reads.ts";

/** Runs long reads away from the event loop that answers the API. */
export interface Reads extends AsyncDisposable {
  /** Rejects with an error before the first byte; a later error destroys the stream. */
  open(request: ReadRequest): Promise<Readable>;
}

interface End {
  readonly port: MessagePort | Worker;
  readonly open: Map<number, ReadStream>;
}

/** A read that needs more ends its thread, not the process. */
const HEAP_MB = 128;

/** On a thread that starts with the first read, and again if it died. */
export const startReads = (thread: URL, location: StorageLocation): Reads =>
  new PortReads(() => {
    const worker = new Worker(thread, {
      workerData: { location },
      execArgv: [], // options of the program (`--eval`, `--import`, …) are not for this thread
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    });
    return worker;
  });

/** On this thread, for tests. */
export const directReads = (stores: Stores): Reads =>
  new PortReads(() => {
    const { port1, port2 } = new MessageChannel();
    serveReads(port2, stores);
    port2.unref();
    return port1;
  });

class PortReads implements Reads {
  readonly #start: () => MessagePort | Worker;
  #end: End | undefined;
  #count = 0;

  constructor(start: () => MessagePort | Worker) {
    this.#start = start;
  }

  async open(request: ReadRequest): Promise<Readable> {
    const { port, open } = (this.#end ??= this.#begin());
    const id = this.#count++;
    const stream = new ReadStream(id, (call) => port.postMessage(call));
    open.set(id, stream);
    stream.once("close", () => open.delete(id));
    port.postMessage({ id, request } satisfies ReadCall);
    await stream.begun;
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { port } = this.#end ?? {};
    if (port instanceof Worker) await port.terminate();
    else port?.close();
  }

  #begin(): End {
    const port = this.#start();
    const end: End = { port, open: new Map() };
    const over = (error: unknown): void => {
      if (this.#end === end) this.#end = undefined;
      for (const stream of end.open.values()) stream.destroy(lost(error));
    };
    port.on("message", (reply: ReadReply) => end.open.get(reply.id)?.hear(reply));
    port.on("error", over);
    port.on("exit", (code: number) => over(`it ended with code ${code}`));
    // The reader's connection keeps the process alive.
    port.unref();
    return end;
  }
}

/** Backpressure across threads: acknowledges the bytes taken, then more are sent. */
class ReadStream extends Readable {
  /** Resolves with the first byte, or at the end of an empty answer. */
  readonly begun: Promise<unknown>;
  readonly #id: number;
  readonly #tell: (call: ReadCall) => void;
  #begin!: () => void;
  #taken = 0;
  #isOver = false;

  constructor(id: number, tell: (call: ReadCall) => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#id = id;
    this.#tell = tell;
    const first = new Promise<void>((resolve) => (this.#begin = resolve));
    const failed = once(this, "error").then(([error]) => {
      throw error;
    });
    this.begun = Promise.race([first, failed]);
    this.begun.catch(() => undefined);
    failed.catch(() => undefined);
  }

  hear(reply: ReadReply): void {
    if ("error" in reply) {
      const { message, ...facts } = reply.error;
      this.#isOver = true;
      this.destroy(Object.assign(new Error(message), facts));
      return;
    }
    if ("isOver" in reply) {
      this.#isOver = true;
      this.push(null);
    } else {
      this.#taken += reply.bytes.length;
      if (this.push(reply.bytes)) this.#ask();
    }
    this.#begin();
  }

  override _read(): void {
    this.#ask();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.#isOver) this.#tell({ id: this.#id, isCancelled: true });
    callback(error);
  }

  #ask(): void {
    if (this.#taken === 0 || this.#isOver) return;
    this.#tell({ id: this.#id, taken: this.#taken });
    this.#taken = 0;
  }
}

const lost = (cause: unknown): Error =>
  Object.assign(new Error("the thread that was reading has ended", { cause }), {
    name: "LedgerError",
    code: "unavailable",
  });
