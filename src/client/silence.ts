/** Nothing moved for too long. */
export class SilenceError extends Error {
  constructor(ms: number) {
    super(`no data for ${ms / 1000} s`);
    this.name = "SilenceError";
  }
}

/** Ends a request if the server is silent for too long. Time that the caller takes to read or send does not count. */
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

  /** From now on, the server is expected to act. */
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

  /** There is an answer, or there will be none: stop waiting. */
  answered(): void {
    this.#isAnswered = true;
    this.end();
  }

  /** The body that is sent: the server is expected to act between two pieces, and after the last. */
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

  /** The answer: the server is expected to act while somebody waits for the next piece. */
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
