/** Measures an item's time without the time that it spends waiting for slots and for the archive. */
export class ActiveClock {
  #waits = 0;
  #waitingSince = 0;
  #waitedMs = 0;

  /** Milliseconds, monotonic. */
  now(): number {
    const waitingMs = this.#waits > 0 ? performance.now() - this.#waitingSince : 0;
    return performance.now() - this.#waitedMs - waitingMs;
  }

  /** The clock stops until the promise is settled. */
  async untimed<Result>(wait: Promise<Result>): Promise<Result> {
    if (this.#waits++ === 0) this.#waitingSince = performance.now();
    try {
      return await wait;
    } finally {
      if (--this.#waits === 0) this.#waitedMs += performance.now() - this.#waitingSince;
    }
  }

  /** Rejects with `late()` once this much time has passed, or with the reason of the signal. The work itself is not ended. */
  async within<Result>(
    ms: number,
    signal: AbortSignal,
    work: Promise<Result>,
    late: () => Error,
  ): Promise<Result> {
    const until = this.now() + ms;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout;
    const check = (): void => {
      const leftMs = until - this.now();
      if (leftMs <= 0) reject(late());
      else timer = setTimeout(check, Math.max(leftMs, 5));
    };
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    timer = setTimeout(check, ms);
    // The work may fail when nothing waits for it any more.
    work.catch(() => undefined);
    try {
      return await Promise.race([work, ended]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }
}

/** Resolves when the work is settled or the time is over, whichever comes first: true if the work succeeded in time. */
export const settledWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  work.then(
    () => resolve(true),
    () => resolve(false),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
};
