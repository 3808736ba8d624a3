/** A server let nothing move for too long. */
export class SilenceError extends Error {
  constructor(ms: number) {
    super(`nothing has moved for ${ms / 1000} s`);
    this.name = "SilenceError";
  }
}

/** Ends a request when the server is silent for too long. Time that the caller itself takes, to read or to send, does not count. */
export class Silence {
  readonly #longestMs: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAnswered = false;

  /** 0 waits for ever. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It is the server's turn, from now on. */
  begin(): void {
    this.end();
    if (this.#longestMs === 0) return;
    this.#timer = setTimeout(
      () => this.#controller.abort(new SilenceError(this.#longestMs)),
      this.#longestMs,
    );
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** There is an answer, or there will be none: whatever is still on its way is no longer waited for. */
  answered(): void {
    this.#isAnswered = true;
    this.end();
  }

  /** What is sent: it is the server's turn between two pieces, and after the last. */
  sending(pieces: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
    return new ReadableStream({
      pull: async (controller) => {
        this.end();
        const { done, value } = await pieces.next();
        if (!this.#isAnswered) this.begin();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await pieces.return?.();
      },
    });
  }

  /** What is received: it is the server's turn while somebody waits for the next piece. */
  receiving(
    body: ReadableStream<Uint8Array>,
    explain: (error: unknown) => Error,
  ): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream(
      {
        pull: async (controller) => {
          this.begin();
          try {
            const { done, value } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            throw explain(error);
          } finally {
            this.end();
          }
        },
        cancel: async (reason) => {
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }
}
