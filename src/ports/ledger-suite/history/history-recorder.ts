import type { ItemRef } from "../../../domain/item.ts";
import type { RemovalScope } from "../../../domain/removal.ts";
import { type Ledger, LedgerError, type LedgerErrorCode, type SettledItem } from "../../ledger.ts";
import { refOf } from "../sim-worker.ts";
import type { Call, CallTimes, Fact, JobFact } from "./history.ts";

/** Nothing has changed when a call fails with one of these. */
const REFUSALS: ReadonlySet<LedgerErrorCode> = new Set([
  "no-such-job",
  "job-exists",
  "job-ended",
  "lower-cap",
  "job-running",
  "job-removed",
]);

type Verb = {
  [V in keyof Ledger]: Ledger[V] extends (...args: never[]) => unknown ? V : never;
}[keyof Ledger];
type Facts = {
  readonly [V in Verb]?: (
    answer: Awaited<ReturnType<Ledger[V]>> | undefined,
    ...args: Parameters<Ledger[V]>
  ) => Fact;
};

const onJob =
  (verb: JobFact["verb"]) =>
  (_: unknown, job: string): Fact => ({ verb, job });

/** What is recorded of a call, without the answer while there is none. Other verbs are not recorded. */
const FACTS: Facts = {
  createJob: (_, { id, scrapers, maxAttempts = Infinity }) => ({
    verb: "createJob",
    job: id,
    paces: scrapers.map(({ pace, sitePace = pace }) => ({
      perSecond: sitePace.perSecond,
      burst: sitePace.burst,
    })),
    maxAttempts,
  }),
  addItems: (_, job, items, rejected) => ({ verb: "addItems", job, inputs: items.length + rejected.length }),
  controlJob: (_, job, to) => ({ verb: to, job }),
  retryItems: onJob("retryItems"),
  raiseCaps: onJob("raiseCaps"),
  amendItems: onJob("amendItems"),
  pinVersions: onJob("pinVersions"),
  changeVersions: onJob("changeVersions"),
  controlLane: (_, lane, { perSecond, isHeld, isReset }) => ({
    verb: "controlLane",
    lane,
    perSecond,
    isHeld,
    isReset,
  }),
  claim: (grant, { worker, room }) => ({
    verb: "claim",
    worker,
    room,
    items: (grant?.items ?? []).map(({ queue, seq, lease, job, lane, scraper, attempt }) => ({
      item: refOf({ queue, seq }),
      queue,
      lease,
      job,
      lane,
      scraper,
      attempt,
    })),
    slots: grant?.slots ?? [],
    unpaced: grant?.unpaced ?? [],
  }),
  pulse: (reply, { worker, wishes, returned, lanes, unsettled }) => ({
    verb: "pulse",
    worker,
    isAlive: reply?.isAlive ?? false,
    wishes: wishes.map(({ lane, queue }) => ({ lane, queue })),
    slots: reply?.slots ?? [],
    returned,
    holds: lanes.flatMap(({ lane, retryAfterMs }) =>
      retryAfterMs === undefined ? [] : { lane, forMs: retryAfterMs },
    ),
    unsettled,
  }),
  settle: (reply, worker, items) => ({
    verb: "settle",
    worker,
    items: toldEnds(items, reply?.refused ?? []),
  }),
  reap: (_, { worker }) => ({ verb: "reap", worker }),
  readJob: (view, job) => ({
    verb: "readJob",
    job,
    counts: view?.counts,
    requests: view?.requests ?? 0,
    bytes: view?.bytes ?? 0,
  }),
  listItems: (page, job) => ({
    verb: "listItems",
    job,
    items: (page?.items ?? []).map(({ ref, state, attempts }) => ({ item: refOf(ref), state, attempts })),
  }),
};

const toldEnds = (items: readonly SettledItem[], refused: readonly ItemRef[]) => {
  const refusals = new Set(refused.map(refOf));
  return items.map(({ queue, seq, lease, outcome, emitted, rejected = [], attempt, captures }) => ({
    item: refOf({ queue, seq }),
    queue,
    lease,
    state: outcome.state,
    countsAttempt: outcome.state === "waiting" ? outcome.countsAttempt : outcome.state !== "returned",
    inputs: emitted.length + rejected.length,
    requests: attempt.requests,
    bytes: attempt.bytes,
    hasCaptures: captures.length > 0,
    isRefused: refusals.has(refOf({ queue, seq })),
  }));
};

interface RecorderOptions {
  /** The clock of leases and slots. Setting the machine's clock must not move it. */
  readonly nowMs: () => number;
  /** Rises with every call, over all recorders of a history; default: a counter of this recorder. */
  readonly stamp?: () => number;
  /** Hears of every call when it begins and again when it ends, and keeps them instead of the recorder. */
  readonly onChange?: (call: Call) => void;
}

/** Records the calls and answers of one or several handles of a ledger. */
export class HistoryRecorder {
  readonly #nowMs: () => number;
  readonly #stamp: () => number;
  readonly #onChange: ((call: Call) => void) | undefined;
  #calls: Call[] = [];

  constructor({ nowMs, stamp, onChange }: RecorderOptions) {
    let count = 0;
    this.#nowMs = nowMs;
    this.#stamp = stamp ?? (() => count++);
    this.#onChange = onChange;
  }

  /** The calls so far, which are then forgotten. Call it when none is under way. */
  drain(): readonly Call[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  wrap(ledger: Ledger): Ledger {
    const removals = {
      ...ledger.removals,
      mark: this.#recorded(
        (job: string, what: RemovalScope) => ledger.removals.mark(job, what),
        onJob("remove"),
      ),
    };
    const own = new Map<PropertyKey, unknown>([["removals", removals]]);
    return new Proxy(ledger, {
      get: (target, name: keyof Ledger) => {
        if (own.has(name)) return own.get(name);
        const fact = FACTS[name as Verb] as FactOf | undefined;
        if (fact) own.set(name, this.#recorded(target[name as Verb].bind(target) as AnyVerb, fact));
        return own.get(name) ?? target[name];
      },
      // A test that changes a verb changes what it sees of the ledger, not what is recorded.
      set: (_, name, value) => Boolean(own.set(name, value)),
    });
  }

  #recorded<Args extends readonly unknown[], Answer>(
    call: (...args: Args) => Promise<Answer>,
    factOf: (answer: Answer | undefined, ...args: Args) => Fact,
  ): (...args: Args) => Promise<Answer> {
    return async (...args) => {
      const times: CallTimes = {
        begin: this.#stamp(),
        beginMs: this.#nowMs(),
        end: Infinity,
        endMs: Infinity,
        answer: "unknown",
      };
      const recorded: Call = { ...times, ...factOf(undefined, ...args) };
      if (this.#onChange) this.#onChange(recorded);
      else this.#calls.push(recorded);
      try {
        const answer = await call(...args);
        Object.assign(recorded, factOf(answer, ...args), { answer: "known" });
        return answer;
      } catch (error) {
        if (error instanceof LedgerError && REFUSALS.has(error.code)) recorded.answer = "refused";
        throw error;
      } finally {
        if (recorded.answer !== "unknown") {
          recorded.end = this.#stamp();
          recorded.endMs = this.#nowMs();
          this.#onChange?.(recorded);
        }
      }
    };
  }
}

type AnyVerb = (...args: readonly unknown[]) => Promise<unknown>;
type FactOf = (answer: unknown, ...args: readonly unknown[]) => Fact;
