import type { Answer, Item, Result } from "../../ledger/records.ts";
import { type Changes, type LedgerStore, want } from "../../ledger/transaction.ts";
import type { Ledger } from "../../ports/ledger.ts";

/** What a job has lost because the database returned to an earlier state. */
export interface SteppedBack {
  /** The job's id; undefined if the job itself is lost. */
  readonly job: string | undefined;
  /** Items that had ended, and run again. */
  readonly items: number;
  /** Inputs that had been accepted. */
  readonly inputs: number;
  /** The first stored segments of these items, which the ledger no longer refers to. */
  readonly segments: readonly string[];
  /** The number of such segments. */
  readonly segmentCount: number;
}

/** A transaction that was confirmed as durable. */
interface Write {
  readonly at: number;
  /** Ids of its calls: the database keeps a response for each, for a quarter of an hour. */
  readonly ids: readonly string[];
  readonly queues: ReadonlyMap<number, QueueWrite>;
}

interface QueueWrite {
  items: number;
  inputs: number;
  readonly segments: Set<string>;
}

/** A call that can be sent again unchanged. */
interface Sent {
  readonly id: string;
  /** Number of items in its arguments. */
  readonly size: number;
  readonly send: (verbs: Resendable) => Promise<unknown>;
}

type Resendable = Pick<Ledger, "addItems" | "settle">;

/** Well below the time for which responses are kept. */
const KEPT_MS = 5 * 60_000;
/** Number of transactions of a busy process in a few minutes: each has up to 500 items, in few segments. */
const MOST = 2_000;
const MOST_SEGMENTS = 100;
/** Maximum number of items in the arguments of calls that are kept. */
const MOST_ITEMS = 20_000;

/**
 * Remembers what this process knows to be durable. A replica that takes over may lack some of it: `forgotten` finds out what, and
 * `resend` sends again what is kept of it. Otherwise, an item whose end was lost would stay leased to a worker that has finished
 * it.
 */
export class RecentWrites {
  #writes: Write[] = [];
  #sent: Sent[] = [];
  #items = 0;

  /** The same verbs; their calls are kept for a while. */
  watch(verbs: Resendable): Resendable {
    return {
      addItems: async (...call) => {
        const reply = await verbs.addItems(...call);
        const [, items, rejected, id] = call;
        this.#keep(id, items.length + rejected.length, (again) => again.addItems(...call));
        return reply;
      },
      settle: async (...call) => {
        const reply = await verbs.settle(...call);
        const [, items, id] = call;
        const size = items.reduce((sum, { emitted }) => sum + 1 + emitted.length, 0);
        this.#keep(id, size, (again) => again.settle(...call));
        return reply;
      },
    };
  }

  #keep(id: string | undefined, size: number, send: Sent["send"]): void {
    if (id === undefined) return;
    this.#sent.push({ id, size, send });
    for (this.#items += size; this.#items > MOST_ITEMS || this.#sent.length > MOST;)
      this.#items -= this.#sent.shift()!.size;
  }

  note({ records, appended }: Changes): void {
    const answers = (records.get("answer")?.values() ?? []) as Iterable<Answer | null>;
    const ids = [...answers].flatMap((answer) => answer?.id ?? []);
    if (ids.length === 0) return;
    const queues = new Map<number, QueueWrite>();
    const of = (queue: number): QueueWrite => {
      const known = queues.get(queue) ?? { items: 0, inputs: 0, segments: new Set<string>() };
      queues.set(queue, known);
      return known;
    };
    for (const { queue, captures, records: range } of (appended.get("result") ?? []) as readonly Result[]) {
      const write = of(queue);
      write.items++;
      for (const { blob } of captures) write.segments.add(blob);
      if (range) write.segments.add(range.blob);
    }
    for (const { queue } of (appended.get("item") ?? []) as readonly Item[]) of(queue).inputs++;
    this.#writes.push({ at: performance.now(), ids, queues });
    if (this.#writes.length > MOST) this.#writes.shift();
  }

  /** What the database has lost, by job, and the affected calls. Reported once. */
  async forgotten(store: Pick<LedgerStore, "read">): Promise<{
    readonly lost: readonly SteppedBack[];
    readonly resend: (verbs: Resendable) => Promise<void>;
  }> {
    const since = performance.now() - KEPT_MS;
    const writes = this.#writes.filter(({ at }) => at >= since);
    const ids = writes.flatMap((write) => write.ids);
    const nothing = { lost: [], resend: async () => undefined };
    if (ids.length === 0) return nothing;
    const wants = ids.map((id) => want("answer", id));
    const known = await store.read(
      wants,
      (tx) => new Set(ids.filter((id) => tx.one("answer", id) !== undefined)),
    );
    const isLost = (write: Write): boolean => write.ids.some((id) => !known.has(id));
    const lost = writes.filter(isLost);
    this.#writes = this.#writes.filter((write) => !lost.includes(write));
    if (lost.length === 0) return nothing;
    // Parts of a call have its id with a number.
    const calls = new Set(lost.flatMap((write) => write.ids.map((id) => id.replace(/\/\d+$/, ""))));
    const sent = this.#sent.filter(({ id }) => calls.has(id));
    return {
      lost: await byJob(store, lost),
      // A refused call belongs to a job that is lost as well, or was removed.
      resend: async (verbs) => {
        for (const { send } of sent) await send(verbs).catch(() => undefined);
      },
    };
  }
}

const byJob = async (
  store: Pick<LedgerStore, "read">,
  writes: readonly Write[],
): Promise<readonly SteppedBack[]> => {
  const queues = [...new Set(writes.flatMap((write) => [...write.queues.keys()]))];
  const jobs = await store.read(
    queues.map((queue) => want("jobOfQueue", queue)),
    (tx) => new Map(queues.map((queue) => [queue, tx.one("jobOfQueue", queue)?.id])),
  );
  const sums = new Map<string | undefined, QueueWrite>();
  for (const write of writes) {
    // For calls without items, such as a pause, the job is unknown.
    const parts: Iterable<readonly [number | undefined, QueueWrite]> =
      write.queues.size > 0 ? write.queues : [[undefined, { items: 0, inputs: 0, segments: new Set() }]];
    for (const [queue, { items, inputs, segments }] of parts) {
      const job = queue === undefined ? undefined : jobs.get(queue);
      const sum = sums.get(job) ?? { items: 0, inputs: 0, segments: new Set<string>() };
      sum.items += items;
      sum.inputs += inputs;
      for (const segment of segments) sum.segments.add(segment);
      sums.set(job, sum);
    }
  }
  return [...sums].map(([job, { items, inputs, segments }]) => ({
    job,
    items,
    inputs,
    segments: [...segments].slice(0, MOST_SEGMENTS),
    segmentCount: segments.size,
  }));
};
