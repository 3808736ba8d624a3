import { setImmediate as turn } from "node:timers/promises";

/** After so much work without a pause, whatever else waits in this process comes first. */
const LONGEST_MS = 10;

/**
 * The same object; long series of its calls let the process answer requests in between. SQLite responds at once, and a task that
 * asks for thousands of jobs would block all clients until it is done. All methods must be asynchronous.
 */
export const yielding = <T extends object>(target: T): T => {
  let turnedAt = performance.now();
  const wrap = <O extends object>(object: O): O => {
    const known = new Map<string | symbol, unknown>();
    const wrapped = (name: string | symbol): unknown => {
      const value: unknown = Reflect.get(object, name);
      if (typeof value === "object" && value !== null) return wrap(value);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]): Promise<unknown> => {
        if (performance.now() - turnedAt > LONGEST_MS) {
          await turn();
          turnedAt = performance.now();
        }
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
