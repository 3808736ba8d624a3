import { AsyncLocalStorage } from "node:async_hooks";
import { isMainThread } from "node:worker_threads";

/**
 * What one item's `collect` has started, awaited or not. Its code runs in a separate async context, so that an uncaught error (a promise without
 * `await`, a timer) can be assigned to this item: it neither ends the process nor gets lost.
 */
export class ItemWork {
  readonly #pending = new Set<Promise<unknown>>();
  readonly #unobserved = new Map<Promise<unknown>, unknown>();
  readonly #crash = Promise.withResolvers<never>();
  readonly #onLate: (error: unknown) => void;
  #isOver = false;

  /** `onLate`: called for uncaught errors after the item was judged. */
  constructor(onLate: (error: unknown) => void) {
    listen();
    this.#onLate = onLate;
    this.#crash.promise.catch(() => undefined);
  }

  /** Calls the scraper's code. Rejects with what it throws, in a timer too. */
  run(code: () => Promise<void>): Promise<void> {
    return Promise.race([contexts.run(this, async () => code()), this.#crash.promise]);
  }

  /** Starts work that belongs to the item: it is not judged before this has ended. */
  async track<Result>(name: string, start: () => Promise<Result>): Promise<Result> {
    this.refuseLate(name);
    // Sockets and timers of ours outlive the item: they must not hold on to it, nor blame it for their errors.
    const work = contexts.exit(start);
    this.#pending.add(work);
    try {
      return await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  refuseLate(name: string): void {
    if (this.#isOver)
      throw new Error(
        `${name} was called after collect had ended, and was refused. Await it inside collect; timers and callbacks that outlive collect are not waited for`,
      );
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Resolves when nothing is pending any more, including work that was started while waiting. */
  async settled(): Promise<void> {
    do {
      while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
      // Resolves waiting callers, and lets Node report unobserved promises.
      await new Promise(setImmediate);
    } while (this.#pending.size > 0);
  }

  /** From now on work is refused. Returns the first uncaught error. */
  end(): { readonly error: unknown } | undefined {
    this.#isOver = true;
    const [first] = this.#unobserved;
    return first && { error: first[1] };
  }

  rejected(promise: Promise<unknown>, reason: unknown): void {
    if (this.#isOver) this.#onLate(reason);
    else this.#unobserved.set(promise, reason);
  }

  /** A handler came after all: `const a = http.get(…), b = http.get(…); await a; await b`. */
  handled(promise: Promise<unknown>): void {
    this.#unobserved.delete(promise);
  }

  crashed(error: unknown): void {
    if (this.#isOver) this.#onLate(error);
    else this.#crash.reject(error);
  }
}

const contexts = new AsyncLocalStorage<ItemWork>();
let isListening = false;

/** An error outside of every item ends the process, as it does without these listeners. */
const listen = (): void => {
  if (isListening || !isMainThread) return;
  isListening = true;
  const owners = new WeakMap<Promise<unknown>, ItemWork>();
  process.on("unhandledRejection", (reason, promise) => {
    const work = contexts.getStore();
    if (work) {
      owners.set(promise, work);
      work.rejected(promise, reason);
    } else if (process.listenerCount("unhandledRejection") === 1) throw reason;
  });
  process.on("rejectionHandled", (promise) => owners.get(promise)?.handled(promise));
  process.on("uncaughtException", (error) => {
    const work = contexts.getStore();
    if (work) work.crashed(error);
    else if (process.listenerCount("uncaughtException") === 1) throw error;
  });
};
