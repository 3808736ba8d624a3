import { randomUUID } from "node:crypto";
import type { Documents } from "../ports/documents.ts";
import type { ClaimRequest, EventLog, Ledger, PulseReport, ReapRequest } from "../ports/ledger.ts";

/** Which argument of a verb is the id of the call, see `CallId`. */
const NAMED_AT: Readonly<Record<string, number>> = {
  addItems: 3,
  controlJob: 3,
  retryItems: 2,
  raiseCaps: 2,
  pinVersions: 2,
  changeVersions: 2,
  settle: 2,
  registerWorker: 2,
  write: 1,
  commit: 1,
} satisfies { readonly [V in keyof Ledger | keyof EventLog | keyof Documents]?: number };

export interface FailedTry {
  readonly verb: string;
  readonly error: unknown;
  readonly tries: number;
  /** Since it was first sent, on the clock of `performance`. */
  readonly startedAt: number;
}

type AnyVerb = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * A ledger whose responses may be lost, for callers that need not know about it: every call has an id or a number by which the
 * ledger recognizes it, and is sent until there is a response. `isSentAgain` decides, if necessary after a pause, whether a
 * failed call is sent again.
 */
export const resending = (ledger: Ledger, isSentAgain: (failed: FailedTry) => Promise<boolean>): Ledger => {
  const turns = new Turns();
  return eachVerb(ledger, (verb, send) => async (...given) => {
    await using _turn = await turns.take(workerOf(verb, given));
    const args = named(verb, given);
    const startedAt = performance.now();
    for (let tries = 1; ; tries++)
      try {
        return await send(...args);
      } catch (error) {
        if (!(await isSentAgain({ verb, error, tries, startedAt }))) throw error;
      }
  });
};

const workerOf = (verb: string, [request]: readonly unknown[]): string | undefined =>
  verb === "claim" || verb === "pulse" ? (request as ClaimRequest | PulseReport).worker : undefined;

/**
 * A worker's claims and pulses are sent one after the other: if a pulse overtook the response to a claim, it would tell the
 * ledger that items are not in flight which the ledger has just given out.
 */
class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take(worker: string | undefined): Promise<AsyncDisposable> {
    if (worker === undefined) return { [Symbol.asyncDispose]: async () => undefined };
    const before = this.#last.get(worker);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(worker, promise);
    await before;
    return {
      [Symbol.asyncDispose]: async () => {
        if (this.#last.get(worker) === promise) this.#last.delete(worker);
        // Only after the caller has processed the response.
        setImmediate(resolve);
      },
    };
  }
}

const PARTS: ReadonlySet<PropertyKey> = new Set(["events", "removals", "documents"]);

/** Each verb of a ledger, including those of its parts, as another function with the same signature. `close` stays unchanged. */
export const eachVerb = <Port extends object>(
  port: Port,
  change: (verb: string, own: AnyVerb) => AnyVerb,
): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      if (name === "close") return own;
      if (typeof own === "function") return change(String(name), own.bind(target) as AnyVerb);
      return PARTS.has(name) ? eachVerb(own as object, change) : own;
    },
  });

const named = (verb: string, args: readonly unknown[]): readonly unknown[] => {
  if (verb === "claim" || verb === "pulse") return [numbered(args[0] as ClaimRequest | PulseReport)];
  if (verb === "reap") return [{ id: randomUUID(), ...(args[0] as ReapRequest) }];
  const at = NAMED_AT[verb];
  if (at === undefined || args[at] !== undefined) return args;
  return [...Array.from({ length: at }, (_, i) => args[i]), randomUUID()];
};

/** A pulse has values that must be read only when it is sent. */
const numbered = <R extends { readonly number?: number }>(request: R): R =>
  request.number === undefined
    ? (Object.defineProperties({ number: nextNumber() }, Object.getOwnPropertyDescriptors(request)) as R)
    : request;

let lastNumber = 0;

/** Higher than any before, including those of an earlier process with the same name. */
const nextNumber = (): number => (lastNumber = Math.max(lastNumber + 1, Date.now() * 1000));
