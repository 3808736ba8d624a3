import type { ItemRef } from "../../model/item.ts";
import type { JobSpec } from "../../model/job.ts";
import type { SettledItem } from "../../ports/ledger.ts";
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

/** An item as it is before it is settled. */
export interface ItemFacts {
  readonly seq: number;
  readonly attempts: number;
  readonly throttles: number;
  /** See `fixedText`. */
  readonly fixed: string;
}

/** Items of the batch that are so near to each other are read together, with those between them. */
const NEAR = 4;

export interface QueueFacts {
  readonly job: number;
  readonly lane: number;
  /** What is settled next is the item that asks whether a held lane has healed. */
  isProbe: boolean;
  /** Items of this queue that have come to their end in this batch. */
  ended: number;
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
  readonly #items = new Map<number, ReadonlyMap<number, ItemFacts>>();

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

  item(queue: number, seq: number): ItemFacts | undefined {
    return this.#items.get(queue)?.get(seq);
  }

  #readItems(queue: number, items: readonly ItemRef[]): ReadonlyMap<number, ItemFacts> {
    const read = new Map<number, ItemFacts>();
    const seqs = items.map(({ seq }) => seq).sort((a, b) => a - b);
    for (let i = 0; i < seqs.length;) {
      const from = seqs[i]!;
      while (i + 1 < seqs.length && seqs[i + 1]! - seqs[i]! <= NEAR) i++;
      const rows = this.#db.all<ItemFacts>(
        `SELECT seq, attempts, throttles, ${fixedText("")} AS fixed FROM items WHERE queue = ? AND seq BETWEEN ? AND ?`,
        queue,
        from,
        seqs[i++]!,
      );
      for (const row of rows) read.set(row.seq, row);
    }
    return read;
  }

  queue(id: number): QueueFacts {
    let facts = this.#queues.get(id);
    if (!facts) {
      const row = queueRow(this.#db, id)!;
      facts = { job: row.job, lane: row.lane, isProbe: isProbeOut(row), ended: 0, isTouched: false };
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

  #writeQueue(queue: number, { ended, isTouched, lane }: QueueFacts): void {
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
