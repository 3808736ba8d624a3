import type { ItemRef } from "../../model/item.ts";
import type { JobSpec } from "../../model/job.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import { refundItems } from "./client-shares.ts";
import type { Database } from "./database.ts";
import { endJobWhenDone } from "./end-job.ts";
import { type FailedItem, tellFailed } from "./failed-event.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { JobTally } from "./job-tally.ts";
import { isProbeOut, queueRow } from "./queue-row.ts";
import { refreshLane, refreshQueue } from "./refresh-lane.ts";
import { fixedText } from "./row-sums.ts";
import { spendBudget } from "./spend-budget.ts";
import { type Spent, takeUnsettled } from "./unsettled-costs.ts";

export interface LeaseRow {
  readonly id: number;
  readonly queue: number;
  readonly lo: number;
  readonly hi: number;
  open: number;
}

/** An item in somebody's hands, as it is before it is settled. */
export interface ItemFacts {
  /** Set where it was claimed on its own. */
  readonly lease: number | null;
  readonly attempts: number;
  readonly throttles: number;
  /** See `fixedText`. */
  readonly fixed: string;
}

type ItemColumns = [seq: number, lease: number | null, attempts: number, throttles: number, fixed: string];

/** What an item that has come to its end is from now on. */
type EndedItem = ItemRef & Readonly<Record<"state" | "attempts" | "throttles", number>>;

/** Items of the batch that are so near to each other are read together, with those between them. */
const NEAR = 4;

export interface QueueFacts {
  readonly job: number;
  readonly lane: number;
  readonly client: string;
  /** What is settled next is the item that asks whether a held lane has healed. */
  isProbe: boolean;
  /** Items of this queue that have come to their end in this batch. */
  ended: number;
  /** Items that were given back before their first request. */
  unused: number;
  /** Something became due. */
  isTouched: boolean;
}

export interface JobFacts {
  readonly id: string;
  readonly spec: JobSpec;
  readonly isSpent: boolean;
  readonly isCancelled: boolean;
  readonly tally: JobTally;
  readonly failed: FailedItem[];
}

/** What one batch of settlements changes beside the items themselves, written once at its end. */
export class Batch {
  /** Mostly there are none: then no item need be looked up among them. */
  readonly hasSuspects: boolean;
  readonly #db: Database;
  readonly #worker: string;
  readonly #leases = new Map<number, LeaseRow | undefined>();
  readonly #queues = new Map<number, QueueFacts>();
  readonly #jobs = new Map<number, JobFacts>();
  readonly #paid = new Map<number, Spent>();
  readonly #items = new Map<number, Map<number, ItemFacts>>();
  readonly #ended: EndedItem[] = [];

  constructor(db: Database, worker: string, items: readonly ItemRef[]) {
    this.#db = db;
    this.#worker = worker;
    for (const [queue, some] of Map.groupBy(items, (item) => item.queue))
      this.#items.set(queue, this.#readItems(queue, some));
    this.hasSuspects = db.get("SELECT 1 FROM suspects LIMIT 1") !== undefined;
  }

  /** Undefined when this worker has no such lease any more. */
  lease(id: number): LeaseRow | undefined {
    if (!this.#leases.has(id))
      this.#leases.set(
        id,
        this.#db.get<LeaseRow>(
          "SELECT id, queue, lo, hi, open FROM leases WHERE id = ? AND worker = ?",
          id,
          this.#worker,
        ),
      );
    return this.#leases.get(id);
  }

  /** The fence: the item must still be in the hands that this lease stands for, and is settled once. */
  take({ queue, seq, lease }: SettledItem): ItemFacts | undefined {
    const items = this.#items.get(queue);
    const row = items?.get(seq);
    if (!row || (row.lease ?? lease) !== lease) return undefined;
    items!.delete(seq);
    return row;
  }

  /** Written with its neighbours, at the end. */
  end(item: EndedItem): void {
    this.#ended.push(item);
  }

  #readItems(queue: number, items: readonly ItemRef[]): Map<number, ItemFacts> {
    const read = new Map<number, ItemFacts>();
    const seqs = items.map(({ seq }) => seq).sort((a, b) => a - b);
    for (let i = 0; i < seqs.length;) {
      const from = seqs[i]!;
      while (i + 1 < seqs.length && seqs[i + 1]! - seqs[i]! <= NEAR) i++;
      const find = this.#db.sql(
        `SELECT seq, lease, attempts, throttles, ${fixedText("")} FROM items
         WHERE queue = ? AND seq BETWEEN ? AND ? AND state = 0 AND due_at IS NULL AND suspect = 0`,
      );
      find.setReturnArrays(true); // twice as fast as objects
      const rows = find.all(queue, from, seqs[i++]!) as unknown as ItemColumns[];
      for (const [seq, lease, attempts, throttles, fixed] of rows)
        read.set(seq, { lease, attempts, throttles, fixed });
    }
    return read;
  }

  queue(id: number): QueueFacts {
    let facts = this.#queues.get(id);
    if (!facts) {
      const row = queueRow(this.#db, id)!;
      const { job, lane, client } = row;
      facts = { job, lane, client, isProbe: isProbeOut(row), ended: 0, unused: 0, isTouched: false };
      this.#queues.set(id, facts);
    }
    return facts;
  }

  job(number: number): JobFacts {
    let facts = this.#jobs.get(number);
    if (!facts) {
      const { id, spec, spent_at, state } = this.#db.get<Pick<JobRow, "id" | "spec" | "spent_at" | "state">>(
        "SELECT id, spec, spent_at, state FROM jobs WHERE number = ?",
        number,
      )!;
      facts = {
        id,
        spec: readSpec(spec),
        isSpent: spent_at !== null,
        isCancelled: state === "cancelled",
        tally: new JobTally(number),
        failed: [],
      };
      this.#jobs.set(number, facts);
    }
    return facts;
  }

  /** The job's own counters have it from now on. */
  paid({ queue, attempt }: SettledItem): void {
    const { requests, bytes } = this.#paid.get(queue) ?? { requests: 0, bytes: 0 };
    this.#paid.set(queue, { requests: requests + attempt.requests, bytes: bytes + attempt.bytes });
  }

  write(): void {
    const db = this.#db;
    this.#writeEnded();
    takeUnsettled(db, this.#worker, this.#paid);
    for (const lease of this.#leases.values()) {
      if (!lease) continue;
      if (lease.open <= 0) db.run("DELETE FROM leases WHERE id = ?", lease.id);
      else db.run("UPDATE leases SET open = ? WHERE id = ?", lease.open, lease.id);
    }
    for (const [queue, facts] of this.#queues) this.#writeQueue(queue, facts);
    for (const [number, { id, spec, tally, failed }] of this.#jobs) {
      tally.write(db);
      tellFailed(db, id, failed);
      if (spec.budget)
        spendBudget(db, db.get<JobRow>("SELECT * FROM jobs WHERE number = ?", number)!, spec.budget);
      endJobWhenDone(db, number);
    }
  }

  /** One statement for each run of neighbours that have become the same: most items of a batch are. */
  #writeEnded(): void {
    const items = this.#ended.sort((a, b) => a.queue - b.queue || a.seq - b.seq);
    for (let i = 0; i < items.length; i++) {
      const { queue, seq, state, attempts, throttles } = items[i]!;
      const isNext = (item: EndedItem | undefined): boolean =>
        item?.queue === queue &&
        item.seq === items[i]!.seq + 1 &&
        item.state === state &&
        item.attempts === attempts &&
        item.throttles === throttles;
      while (isNext(items[i + 1])) i++;
      this.#db.run(
        "UPDATE items SET state = ?, attempts = ?, throttles = ? WHERE queue = ? AND seq BETWEEN ? AND ?",
        state,
        attempts,
        throttles,
        queue,
        seq,
        items[i]!.seq,
      );
    }
  }

  #writeQueue(queue: number, { ended, unused, isTouched, lane, client }: QueueFacts): void {
    if (unused > 0) refundItems(this.#db, client, unused);
    const open = this.#db.get<{ open: number }>(
      "UPDATE queues SET open = open - ? WHERE id = ? RETURNING open",
      ended,
      queue,
    )!.open;
    if (isTouched) refreshQueue(this.#db, queue);
    // With its last item a job's rate no longer binds the lane.
    if (isTouched || open === 0) refreshLane(this.#db, lane);
  }
}
