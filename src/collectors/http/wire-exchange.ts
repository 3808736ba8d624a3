import type { Dispatcher } from "undici";
import { connectionFailure } from "./connection-failure.ts";
import { ResponseHead } from "./response-head.ts";
import { FailureError } from "../../domain/failure.ts";
import type { FailureKind } from "../../domain/failure.ts";
import { TooLateError, type WireCaps, type WireRequest } from "./wire.ts";

/** A timer that is so late was kept from its turn. */
const SLEPT_MS = 100;

/**
 * One request on undici's dispatch interface (its `request` costs half as much again). It ends exactly once: by
 * the last byte, by an error of the socket, by the timer, by a cap or by the item's signal, whichever is first; what
 * comes after that is ignored. undici has no handle on a request that still waits for a socket, so ending such a
 * request is remembered and it is aborted when it would start: no byte of it leaves.
 */
export abstract class WireExchange {
  readonly #request: WireRequest;
  readonly #caps: WireCaps;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerSetAt = 0;
  #remainingMs: number;
  #received = 0;
  #error: Error | undefined;
  #isOver = false;
  /** The address that its socket is connected to: see `AddressedClient`. */
  addressOf: (() => string | undefined) | undefined;

  constructor(request: WireRequest, caps: WireCaps) {
    this.#request = request;
    this.#caps = caps;
    this.#remainingMs = caps.timeoutMs;
  }

  protected abstract onHead(head: ResponseHead): void;
  protected abstract onData(chunk: Buffer): void;
  protected abstract onEnd(): void;
  protected abstract onError(error: Error): void;

  protected start(agent: Dispatcher): void {
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

  /** Stops the clock and the socket: our own slowness is not the site's. */
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
        throw new TooLateError("the request's slot is over");
    } catch (error) {
      this.fail(error as Error);
      // Not `abort`, which would close the socket that was opened for this: the next request needs it.
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

  #finish(tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#caps.signal.removeEventListener("abort", this.#onAbort);
    tell();
  }

  #failTooLarge(size: number): void {
    this.failWith("too-large", `the response has ${size} bytes or more, the cap is ${this.#caps.bodyBytes}`);
  }

  readonly #onTimeout = (): void => {
    // After a pause of this process its timers come before the bytes that arrived meanwhile: those get the time that it slept.
    const sleptMs = performance.now() - this.#timerSetAt - this.#remainingMs;
    if (sleptMs > SLEPT_MS) {
      this.#timer = undefined;
      this.#remainingMs = sleptMs;
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
