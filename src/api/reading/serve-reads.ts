import type { MessagePort } from "node:worker_threads";
import type { Stores } from "../../archive/manifest.ts";
import type { ByteSink } from "../../export/outputs/open-output.ts";
import { answerRead, type ReadRequest } from "./answer-read.ts";

/** Messages to the reading thread. */
export type ReadCall =
  | { readonly id: number; readonly request: ReadRequest }
  /** Bytes that the reader has taken. */
  | { readonly id: number; readonly taken: number }
  | { readonly id: number; readonly isCancelled: true };

export type ReadReply =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly isOver: true }
  | {
      readonly id: number;
      readonly error: { readonly name: string; readonly message: string; readonly code?: string };
    };

/** Bytes sent but not yet taken: a slow reader delays only its own read. */
const MOST_UNTAKEN = 256 * 1024;
const PIECE = 64 * 1024;

/** Answers concurrent reads on this thread, each at its reader's speed. */
export const serveReads = (port: MessagePort, stores: Stores): void => {
  const open = new Map<number, PortSink>();
  const begin = (id: number, request: ReadRequest): void => {
    const sink = new PortSink(port, id);
    open.set(id, sink);
    answerRead(stores, request, sink)
      .catch((error: unknown) => port.postMessage({ id, error: plainError(error) } satisfies ReadReply))
      .finally(() => open.delete(id));
  };
  port.on("message", (call: ReadCall) => {
    if ("request" in call) begin(call.id, call.request);
    else if ("taken" in call) open.get(call.id)?.taken(call.taken);
    else open.get(call.id)?.cancel();
  });
};

/** Errors lose their class and code on the way to another thread. */
const plainError = (error: unknown): { name: string; message: string; code?: string } => {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  return { name, message, ...("code" in error && typeof error.code === "string" && { code: error.code }) };
};

class PortSink implements ByteSink {
  readonly #port: MessagePort;
  readonly #id: number;
  #untaken = 0;
  #isCancelled = false;
  #wake: (() => void) | undefined;

  constructor(port: MessagePort, id: number) {
    this.#port = port;
    this.#id = id;
  }

  async open(): Promise<void> {}

  async write(given: Uint8Array | string): Promise<void> {
    const bytes = Buffer.from(given);
    for (let at = 0; at < bytes.length; at += PIECE) {
      while (this.#untaken >= MOST_UNTAKEN && !this.#isCancelled)
        await new Promise<void>((resolve) => (this.#wake = resolve));
      if (this.#isCancelled) throw new Error("the reader has gone");
      const piece = new Uint8Array(bytes.subarray(at, at + PIECE));
      this.#untaken += piece.length;
      this.#port.postMessage({ id: this.#id, bytes: piece } satisfies ReadReply, [piece.buffer]);
    }
    // This thread serves others too: messages are handled between two writes.
    await new Promise((resolve) => setImmediate(resolve));
  }

  async commit(): Promise<void> {
    this.#port.postMessage({ id: this.#id, isOver: true } satisfies ReadReply, []);
  }

  async discard(): Promise<void> {}

  taken(bytes: number): void {
    this.#untaken -= bytes;
    this.#wake?.();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#wake?.();
  }
}
