import { randomUUID } from "node:crypto";
import type { Documents } from "../ports/documents.ts";
import type { ClaimRequest, EventLog, Ledger, PulseReport, ReapRequest } from "../ports/ledger.ts";

/** Where a verb takes the name of its call, see `CallId`. */
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
 * A ledger whose answers may be lost, for callers that need not know: every call has a name or a number by which the ledger knows it again, and is sent
 * until it is answered. `isSentAgain` says, after a pause if need be, whether a try that failed is followed by another.
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
 * A worker's claims and pulses, one after the other: a pulse that overtakes the answer to a claim, or is overtaken, would tell the ledger that items are
 * not in flight which it has just given out.
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
        // Not before the caller has taken note of the answer.
        setImmediate(resolve);
      },
    };
  }
}

const PARTS: ReadonlySet<PropertyKey> = new Set(["events", "removals", "documents"]);

/** Each verb of a ledger, those of its parts included, as another function of the same kind. `close` stays as it is. */
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

/** A pulse has values that are to be read only when it is sent. */
const numbered = <R extends { readonly number?: number }>(request: R): R =>
  request.number === undefined
    ? (Object.defineProperties({ number: nextNumber() }, Object.getOwnPropertyDescriptors(request)) as R)
    : request;

let lastNumber = 0;

/** Higher than any before, also than those of a process that had the same name before this one. */
const nextNumber = (): number => (lastNumber = Math.max(lastNumber + 1, Date.now() * 1000));
