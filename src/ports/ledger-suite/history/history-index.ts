import type { Call, CallOf, Fact, GrantedItem, ToldEnd } from "./history.ts";

export interface Grant extends Omit<GrantedItem, "lease"> {
  readonly worker: string;
  readonly lease: string;
  readonly call: CallOf<"claim">;
}

export interface End extends Omit<ToldEnd, "lease"> {
  readonly worker: string;
  readonly lease: string;
  /** Unknown may be taken either way. */
  readonly fate: "accepted" | "refused" | "unknown";
  readonly call: CallOf<"settle">;
}

/** Ended before the other began, and so took effect before it. */
export const isBefore = (one: Call, other: Call): boolean => one.end < other.begin;
/** May have taken effect before the other did. */
export const canPrecede = (one: Call, other: Call): boolean => one.begin < other.end;

/** Leases are numbered by worker. */
const leaseOf = (worker: string, { lease }: { readonly lease: number }): string => `${worker} ${lease}`;

const FINAL: ReadonlySet<string> = new Set(["done", "absent", "failed", "skipped"]);
export const isFinal = ({ state }: Pick<ToldEnd, "state">): boolean => FINAL.has(state);

/** A history by items, workers and jobs, with queries that several laws use. */
export class HistoryIndex {
  readonly calls: readonly Call[];
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
  readonly ends: ReadonlyMap<string, readonly End[]>;
  readonly jobOfQueue = new Map<number, string>();
  readonly jobs: ReadonlyMap<string, CallOf<"createJob">>;
  readonly #byVerb: ReadonlyMap<string, readonly Call[]>;
  readonly #byJob: ReadonlyMap<string, readonly Call[]>;
  readonly #reaps: ReadonlyMap<string | undefined, readonly CallOf<"reap">[]>;
  readonly #renewals: ReadonlyMap<string, readonly Call[]>;
  readonly #deadPulses: ReadonlyMap<string, readonly Call[]>;
  readonly #unheard: ReadonlySet<string>;
  readonly #leaseMs: number;

  constructor(history: readonly Call[], leaseMs: number) {
    // A refused load may have been taken in part.
    this.calls = history
      .filter(({ answer, verb }) => answer !== "refused" || verb === "addItems")
      .toSorted((a, b) => a.begin - b.begin);
    this.#byVerb = Map.groupBy(this.calls, ({ verb }) => verb);
    this.#leaseMs = leaseMs;
    const claims = this.of("claim");
    const grants = claims.flatMap((call) =>
      call.items.map((item) => ({ ...item, worker: call.worker, lease: leaseOf(call.worker, item), call })),
    );
    for (const { queue, job } of grants) this.jobOfQueue.set(queue, job);
    this.grants = Map.groupBy(grants, ({ item }) => item);
    this.ends = Map.groupBy(
      this.of("settle").flatMap((call) => this.#endsOf(call)),
      ({ item }) => item,
    );
    this.jobs = new Map(this.of("createJob").map((call) => [call.job, call]));
    this.#byJob = Map.groupBy(
      this.calls.filter((call) => "job" in call),
      ({ job }) => job,
    );
    this.#reaps = Map.groupBy(this.of("reap"), ({ worker }) => worker);
    const pulses = this.of("pulse").filter(({ answer }) => answer === "known");
    const renewals = [
      ...claims.filter(({ items }) => items.length > 0),
      ...pulses.filter(({ isAlive }) => isAlive),
    ];
    this.#deadPulses = Map.groupBy(
      pulses.filter(({ isAlive }) => !isAlive),
      ({ worker }) => worker,
    );
    this.#renewals = Map.groupBy(
      renewals.toSorted((a, b) => a.begin - b.begin),
      ({ worker }) => worker,
    );
    this.#unheard = new Set(claims.flatMap(({ answer, worker }) => (answer === "unknown" ? worker : [])));
  }

  of<V extends Fact["verb"]>(...verbs: readonly V[]): readonly CallOf<V>[] {
    const all = verbs.flatMap((verb) => (this.#byVerb.get(verb) ?? []) as readonly CallOf<V>[]);
    return verbs.length === 1 ? all : all.toSorted((a, b) => a.begin - b.begin);
  }

  ofJob<V extends Fact["verb"]>(job: string, ...verbs: readonly V[]): readonly CallOf<V>[] {
    const calls = this.#byJob.get(job) ?? [];
    return calls.filter((call): call is CallOf<V> => verbs.includes(call.verb as V));
  }

  /** Whether the worker has claims without an answer: it may have leases that no call shows. */
  hasUnheardClaims(worker?: string): boolean {
    return worker === undefined ? this.#unheard.size > 0 : this.#unheard.has(worker);
  }

  /** Whether items of the job that had ended by `from` may have been put back before `until`. */
  canReopen(job: string | undefined, from: Call, until: Call): boolean {
    if (job === undefined) return true;
    const calls: readonly Call[] = this.ofJob(job, "retryItems", "amendItems", "remove");
    return calls.some((call) => call.end > from.begin && canPrecede(call, until));
  }

  /** Whether the worker may have been given up between its claim and another call. */
  canLose({ worker, call }: Grant, until: Call): boolean {
    const named = this.#reaps.get(worker) ?? [];
    if (named.some((reap) => reap.end > call.begin && canPrecede(reap, until))) return true;
    let heardMs = call.beginMs;
    for (const renewal of this.#renewals.get(worker) ?? []) {
      if (renewal.begin <= call.begin) continue;
      if (!isBefore(renewal, until)) break;
      if (renewal.endMs - heardMs > this.#leaseMs) return true;
      heardMs = renewal.beginMs;
    }
    return until.endMs - heardMs > this.#leaseMs;
  }

  /** When it was known that the worker of this grant had been given up, before another call began. */
  isLost({ worker, call }: Grant, before: Call): boolean {
    const isLoss = (loss: Call): boolean =>
      loss.answer === "known" && isBefore(call, loss) && isBefore(loss, before);
    return [...(this.#reaps.get(worker) ?? []), ...(this.#deadPulses.get(worker) ?? [])].some(isLoss);
  }

  /** Whether the holder may have let go of the item before another call took effect. */
  canRelease(grant: Grant, before: Call): boolean {
    const ends = this.ends.get(grant.item) ?? [];
    const isRelease = ({ lease, fate, call }: End): boolean =>
      lease === grant.lease && fate !== "refused" && canPrecede(call, before);
    return ends.some(isRelease) || this.canLose(grant, before);
  }

  #endsOf(call: CallOf<"settle">): End[] {
    const isRemoving = this.of("remove").some((removal) => canPrecede(removal, call));
    return call.items.map((told) => {
      // An item whose captures belong to a removed job is returned, which the answer does not show.
      const isUnknown = call.answer === "unknown" || (isRemoving && told.hasCaptures);
      return {
        ...told,
        worker: call.worker,
        lease: leaseOf(call.worker, told),
        call,
        fate: told.isRefused ? "refused" : isUnknown ? "unknown" : "accepted",
      };
    });
  }
}
