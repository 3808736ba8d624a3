import type { Dispatcher } from "undici";
import { FailureError, type FailureKind } from "../../domain/failure.ts";
import type { Refused } from "../proxy/refusal.ts";
import { connectionFailure } from "./connection-failure.ts";
import {
  ResponseHead,
  TooLateError,
  type WireCaps,
  type WireMeter,
  type WireRequest,
  type WireResponse,
  type WireStream,
} from "./wire.ts";

/** The response of a proxy's provider instead of the site's. */
type RefusalIn = (head: ResponseHead) => Refused | undefined;

/** What an exchange needs of undici's agents. */
export type Sender = Pick<Dispatcher, "dispatch">;

/** A timer this late means that the process was suspended or busy. */
const LATE_MS = 100;

/**
 * One request on undici's dispatch interface (`request` costs 50 % more). It ends exactly once: by the last byte, a
 * socket error, the timer, a cap or the item's signal, whichever comes first. undici cannot abort a request that
 * still waits for a socket: such a request is aborted when it would start, so that no byte of it is sent.
 */
export abstract class WireExchange {
  readonly #request: WireRequest;
  readonly #caps: WireCaps;
  readonly #refusalIn: RefusalIn | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerSetAt = 0;
  #remainingMs: number;
  #received = 0;
  #error: Error | undefined;
  #isOver = false;
  /** The address that its socket is connected to; set by the client. */
  addressOf: (() => string | undefined) | undefined;
  /** Adds what its socket to a proxy has moved; set by the client, too. */
  countInto: ((meter: WireMeter) => void) | undefined;

  constructor(request: WireRequest, caps: WireCaps, refusalIn?: RefusalIn) {
    this.#request = request;
    this.#refusalIn = refusalIn;
    this.#caps = caps;
    this.#remainingMs = caps.timeoutMs;
  }

  protected abstract onHead(head: ResponseHead): void;
  protected abstract onData(chunk: Buffer): void;
  protected abstract onEnd(): void;
  protected abstract onError(error: Error): void;

  protected start(agent: Sender): void {
    const { signal } = this.#caps;
    if (signal.aborted) return this.#finish(() => this.onError(abortReason(signal)));
    signal.addEventListener("abort", this.#onAbort);
    this.startTimer();
    const { url, method, headers, body } = this.#request;
    const flat: string[] = [];
    for (const [name, value] of headers) flat.push(name, value);
    try {
      agent.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method, headers: flat, body: body ?? null },
        this,
      );
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  protected fail(error: Error): void {
    this.#finish(() => {
      this.#error = error;
      this.#controller?.abort(error);
      this.onError(error);
    });
  }

  protected failWith(kind: FailureKind, detail: string): void {
    this.fail(new FailureError({ kind, detail, url: this.#request.url.href }));
  }

  /** Stops the timer and the socket: a slow reader is not the site's fault. */
  protected pause(): void {
    this.#controller?.pause();
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remainingMs -= performance.now() - this.#timerSetAt;
  }

  protected resume(): void {
    if (this.#isOver) return;
    this.startTimer();
    this.#controller?.resume();
  }

  protected startTimer(): void {
    if (this.#timer !== undefined) return;
    this.#timerSetAt = performance.now();
    this.#timer = setTimeout(this.#onTimeout, Math.max(1, this.#remainingMs));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver)
      return controller.abort(this.#error ?? new Error("the request ended before it started"));
    try {
      if (this.#caps.leave?.(this.addressOf?.()) === false)
        throw new TooLateError("the request's slot has passed");
    } catch (error) {
      this.fail(error as Error);
      // Not `abort`, which would close the socket: the next request needs it.
      throw error;
    }
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText?: string,
  ): void {
    if (this.#isOver || status < 200) return;
    const head = new ResponseHead(status, statusText, controller.rawHeaders);
    const refused = this.#refusalIn?.(head);
    if (refused) return this.failWith(refused.kind, refused.detail);
    const length = Number(head.header("content-length") ?? 0);
    if (length > this.#caps.bodyBytes && this.#request.method !== "HEAD") return this.#failTooLarge(length);
    this.onHead(head);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#received += chunk.length;
    this.#caps.meter.bytes += chunk.length;
    if (this.#received > this.#caps.bodyBytes) return this.#failTooLarge(this.#received);
    this.onData(chunk);
  }

  onResponseEnd(): void {
    this.#finish(() => this.onEnd());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(connectionFailure(error, this.#request.url));
  }

  #finish(report: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#caps.signal.removeEventListener("abort", this.#onAbort);
    this.countInto?.(this.#caps.meter);
    report();
  }

  #failTooLarge(size: number): void {
    this.failWith(
      "too-large",
      `the response has at least ${size} bytes, the limit is ${this.#caps.bodyBytes}`,
    );
  }

  readonly #onTimeout = (): void => {
    // After a suspension, timers fire before the bytes that arrived meanwhile: extend the timeout by the time lost.
    const lateMs = performance.now() - this.#timerSetAt - this.#remainingMs;
    if (lateMs > LATE_MS) {
      this.#timer = undefined;
      this.#remainingMs = lateMs;
      return this.startTimer();
    }
    this.failWith("timeout", `no complete response within ${Math.round(this.#caps.timeoutMs)} ms`);
  };

  readonly #onAbort = (): void => {
    this.fail(abortReason(this.#caps.signal));
  };
}

const abortReason = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason });

/** A request whose body is collected in memory, up to the cap. */
export class BufferedExchange extends WireExchange {
  readonly response: Promise<WireResponse>;
  readonly #settle: PromiseWithResolvers<WireResponse> = Promise.withResolvers();
  readonly #chunks: Buffer[] = [];
  #head: ResponseHead | undefined;

  constructor(agent: Sender, request: WireRequest, caps: WireCaps, refusalIn?: RefusalIn) {
    super(request, caps, refusalIn);
    this.response = this.#settle.promise;
    this.start(agent);
  }

  protected override onHead(head: ResponseHead): void {
    this.#head = head;
  }

  protected override onData(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  protected override onEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#settle.resolve({ head: this.#head!, body });
  }

  protected override onError(error: Error): void {
    this.#settle.reject(error);
  }
}

/** Unread bytes at which the socket is paused. */
const HIGH_WATER = 256 * 1024;

/** A request whose body is read by iteration; the socket is paused while the reader is behind. */
export class StreamedExchange extends WireExchange {
  readonly opened: Promise<WireStream>;
  readonly #settle: PromiseWithResolvers<WireStream> = Promise.withResolvers();
  #chunks: Buffer[] = [];
  #waiting = 0;
  #state: "open" | "ended" | Error = "open";
  #wake: (() => void) | undefined;

  constructor(agent: Sender, request: WireRequest, caps: WireCaps, refusalIn?: RefusalIn) {
    super(request, caps, refusalIn);
    this.opened = this.#settle.promise;
    this.start(agent);
  }

  protected override onHead(head: ResponseHead): void {
    const cancel = (): void => this.fail(new Error("the body was cancelled"));
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
          // They count until the reader asks for more: at most twice the high water is in memory.
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
      this.fail(new Error("the reader stopped"));
    }
  }
}
