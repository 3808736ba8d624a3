import type { Dispatcher } from "undici";
import { WireExchange } from "./wire-exchange.ts";
import type { ResponseHead } from "./response-head.ts";
import type { WireCaps, WireRequest, WireStream } from "./wire.ts";

/** Bytes that wait for the reader before the socket is paused. */
const HIGH_WATER = 256 * 1024;

/** A request whose body is read by iteration: the socket is paused while the reader is behind. */
export class StreamedExchange extends WireExchange {
  readonly opened: Promise<WireStream>;
  readonly #settle: PromiseWithResolvers<WireStream> = Promise.withResolvers();
  #chunks: Buffer[] = [];
  #waiting = 0;
  #state: "open" | "ended" | Error = "open";
  #wake: (() => void) | undefined;

  constructor(agent: Dispatcher, request: WireRequest, caps: WireCaps) {
    super(request, caps);
    this.opened = this.#settle.promise;
    this.start(agent);
  }

  protected override onHead(head: ResponseHead): void {
    const cancel = (): void => this.fail(new Error("the rest of the body is not wanted"));
    this.#settle.resolve({ head, body: this.#read(), cancel });
  }

  protected override onData(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting > HIGH_WATER) this.pause();
    this.#wake?.();
  }

  protected override onEnd(): void {
    this.#state = "ended";
    this.#wake?.();
  }

  protected override onError(error: Error): void {
    this.#state = error;
    this.#settle.reject(error);
    this.#wake?.();
  }

  async *#read(): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        if (this.#state instanceof Error) throw this.#state;
        const chunks = this.#chunks;
        if (chunks.length > 0) {
          this.#chunks = [];
          yield* chunks;
          // Counted as waiting until the reader has come back for more: at most two high waters are in memory.
          this.#waiting -= chunks.reduce((sum, chunk) => sum + chunk.length, 0);
          if (this.#waiting <= HIGH_WATER) this.resume();
        } else if (this.#state === "ended") {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
          this.#wake = undefined;
        }
      }
    } finally {
      this.fail(new Error("the reader left"));
    }
  }
}
