import { AsyncLocalStorage } from "node:async_hooks";

/** After so much work without a pause, whatever else waits in this process comes first. */
const LONGEST_MS = 10;

/** The client whose request makes a call; background tasks have none. */
export const caller = new AsyncLocalStorage<string>();

/** Calls that have to wait, by caller. Each turn of the event loop begins one; the callers take turns. */
class CallTurns {
  readonly #lines = new Map<string, (() => void)[]>();
  #turnedAt = performance.now();

  /** Undefined if the call may begin at once. */
  take(): Promise<void> | undefined {
    if (this.#lines.size === 0) {
      if (performance.now() - this.#turnedAt <= LONGEST_MS) return undefined;
      setImmediate(() => this.#next());
    }
    const name = caller.getStore() ?? "";
    const line = this.#lines.get(name) ?? [];
    this.#lines.set(name, line);
    return new Promise((resolve) => line.push(resolve));
  }

  #next(): void {
    this.#turnedAt = performance.now();
    for (const [name, line] of this.#lines) {
      line.shift()!();
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
      break;
    }
    if (this.#lines.size > 0) setImmediate(() => this.#next());
  }
}

/**
 * The same object; long series of its calls let the process answer requests in between, and many calls of one client do not delay those of another.
 * SQLite responds at once, and a task that asks for thousands of jobs would block all clients until it is done. All methods must be asynchronous.
 */
export const yielding = <T extends object>(target: T): T => {
  const turns = new CallTurns();
  const wrap = <O extends object>(object: O): O => {
    const known = new Map<string | symbol, unknown>();
    const wrapped = (name: string | symbol): unknown => {
      const value: unknown = Reflect.get(object, name);
      if (typeof value === "object" && value !== null) return wrap(value);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const turn = turns.take();
        if (turn) await turn;
        return (await Reflect.apply(value, object, args)) as unknown;
      };
    };
    return new Proxy(object, {
      get(_, name) {
        if (!known.has(name)) known.set(name, wrapped(name));
        return known.get(name);
      },
    });
  };
  return wrap(target);
};
