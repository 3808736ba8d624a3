import { once } from "node:events";
import { Readable } from "node:stream";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Stores } from "../../archive/manifest.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import type { ReadRequest } from "./read-request.ts";
import { type ReadCall, type ReadReply, serveReads } from "./serve-reads.ts";

/** Answers long reads somewhere else than on the event loop that answers the API. */
export interface Reads extends AsyncDisposable {
  /** Rejects with what is wrong before the first byte; what goes wrong later destroys the stream. */
  open(request: ReadRequest): Promise<Readable>;
}

interface End {
  readonly port: MessagePort | Worker;
  readonly open: Map<number, ReadStream>;
}

/** A read that takes more ends its thread, and not the process. */
const HEAP_MB = 128;

/** On a thread of their own, which is started by the first read, and again after it died. */
export const startReads = (thread: URL, location: StorageLocation): Reads =>
  new PortReads(() => {
    const worker = new Worker(thread, {
      workerData: { location },
      execArgv: [], // what the program was started with (`--eval`, `--import`, …) is not meant for this thread
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    });
    return worker;
  });

/** On this thread: for tests of everything else. */
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
    // Whoever reads has a connection, and that keeps the process.
    port.unref();
    return end;
  }
}

/** Read as the other side writes: what is taken is told, and then more comes. */
class ReadStream extends Readable {
  /** Resolves with the first byte, or the end of an empty answer. */
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
