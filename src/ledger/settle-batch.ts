import type { Failure } from "../model/failure.ts";
import type { Change } from "../model/freshness.ts";
import type { ItemRef } from "../model/item.ts";
import type { SettledItem } from "../ports/ledger.ts";
import type { Book } from "./book.ts";
import { spendBudget } from "./budget.ts";
import { endJobWhenDone } from "./end-job.ts";
import { addFailure, type FailedItem, tellFailed } from "./failures.ts";
import { hasPlace, withoutPlaces } from "./places.ts";
import type { Job, Lease, Queue } from "./records.ts";
import { ALL_WORKERS, chargeShare, wakeLane, wakeShare } from "./shares.ts";
import { isKnown, stopRunning } from "./workers.ts";

/** What a batch changes in a queue, beside its items. */
export class QueueTally {
  readonly record: Queue;
  /** What is settled next is the item that asks whether a held lane has healed. */
  isProbe: boolean;
  /** Items that are leased no longer; of these, how many have come to their end. */
  settled = 0;
  ended = 0;
  /** Items that were given back before they began: they count in their client's share when they are claimed again. */
  unused = 0;
  #waiting = 0;
  #dueAt = Infinity;

  constructor(record: Queue) {
    this.record = record;
    this.isProbe = record.isProbing && !record.isClaimable;
  }

  /** An item was given back. A suspect waits for a process of its own, not for a claim. */
  back(dueAt: number, isSuspect: boolean): void {
    if (!isSuspect) this.#dueAt = Math.min(this.#dueAt, dueAt);
  }

  wait(dueAt: number): void {
    this.#waiting++;
    this.#dueAt = Math.min(this.#dueAt, dueAt);
  }

  write(book: Book): void {
    if (this.settled === 0) return;
    const queue = book.known("queue", this.record.id)!;
    const open = queue.open - this.ended;
    const isDue = this.#dueAt < Infinity;
    book.patch("queue", queue, {
      open,
      leased: queue.leased - this.settled,
      waiting: queue.waiting + this.#waiting,
      ...(isDue && { dueAt: Math.min(this.#dueAt, queue.dueAt ?? Infinity) }),
    });
    if (this.unused > 0) {
      const lane = book.one("lane", ALL_WORKERS)!;
      const share = book.one("share", ALL_WORKERS, queue.client);
      chargeShare(book, lane, share, book.one("clientOfQueue", queue.id)!.weight, -this.unused);
    }
    if (isDue) wakeShare(book, queue.lane, queue.client, this.#dueAt);
    // With its last item a job's rate no longer binds the lane.
    if (open === 0 && this.ended > 0) wakeLane(book, queue.lane, book.now);
  }
}

/** What a batch adds to a job's counters, written once at its end. */
export class JobTally {
  record: Job;
  readonly isCancelled: boolean;
  readonly failed: FailedItem[] = [];
  #states = { done: 0, absent: 0, failed: 0, skipped: 0, cancelled: 0 };
  #partial = 0;
  #requests = 0;
  #bytes = 0;
  #fields: number[] | undefined;
  #failures: Job["failures"];
  #changes: Job["changes"];

  constructor(record: Job) {
    this.record = record;
    this.isCancelled = record.state === "cancelled";
    this.#failures = record.failures;
    this.#changes = record.changes;
  }

  /** `isCancelled`: its job was, and it would have to be tried again. */
  add({ outcome, attempt, fieldCounts }: SettledItem, isCancelled: boolean): void {
    this.#requests += attempt.requests;
    this.#bytes += attempt.bytes;
    if (isCancelled) this.#states.cancelled++;
    else if (outcome.state !== "returned" && outcome.state !== "waiting") this.#states[outcome.state]++;
    if (outcome.state === "done" && outcome.quality === "partial") this.#partial++;
    if (!fieldCounts) return;
    const fields = (this.#fields ??= [...this.record.fieldCounts]);
    for (let i = 0; i < fields.length; i++) fields[i]! += fieldCounts[i] ?? 0;
  }

  addFailure(
    failure: Failure,
    item: ItemRef & { readonly key: string },
    isFinal: boolean,
    isUntried: boolean,
  ): void {
    this.#failures = addFailure(this.#failures, failure, item.key, { isFinal, isUntried });
    if (isFinal) this.failed.push({ ...item, failure });
  }

  addChange(change: Change): void {
    this.#changes = { ...this.#changes, [change]: (this.#changes[change] ?? 0) + 1 };
  }

  write(book: Book): void {
    const job = book.known("job", this.record.number)!;
    const { done, absent, failed, skipped, cancelled } = this.#states;
    book.patch("job", job, {
      done: job.done + done,
      absent: job.absent + absent,
      failed: job.failed + failed,
      skipped: job.skipped + skipped,
      cancelled: job.cancelled + cancelled,
      partial: job.partial + this.#partial,
      requests: job.requests + this.#requests,
      bytes: job.bytes + this.#bytes,
      fieldCounts: this.#fields ?? job.fieldCounts,
      failures: this.#failures,
      changes: this.#changes,
    });
    this.reread(book);
  }

  /** Others have written the job, or its counts are written: what comes is added to that. */
  reread(book: Book): void {
    this.record = book.known("job", this.record.number)!;
    this.#states = { done: 0, absent: 0, failed: 0, skipped: 0, cancelled: 0 };
    [this.#partial, this.#requests, this.#bytes] = [0, 0, 0];
    this.#fields = undefined;
    this.#failures = this.record.failures;
    this.#changes = this.record.changes;
  }
}

/** What one batch of settlements changes beside the items themselves, written once at its end. */
export class SettleBatch {
  readonly #book: Book;
  readonly #worker: string;
  readonly #leases: ReadonlyMap<number, Lease>;
  readonly #closed = new Map<number, Set<number>>();
  readonly #queues = new Map<number, QueueTally>();
  readonly #jobs = new Map<number, JobTally>();
  readonly #paid = new Map<number, { requests: number; bytes: number }>();

  constructor(book: Book, name: string) {
    this.#book = book;
    this.#worker = name;
    const worker = book.one("worker", name);
    this.#leases = new Map(worker && isKnown(worker) ? worker.leases.map((lease) => [lease.id, lease]) : []);
  }

  /** The fence: the lease under which the item is still in this worker's hands. */
  leaseOf({ lease: id, queue, seq }: SettledItem): Lease | undefined {
    const lease = this.#leases.get(id);
    const isHeld = lease?.queue === queue && hasPlace(lease.open, seq) && !this.#closed.get(id)?.has(seq);
    return isHeld ? lease : undefined;
  }

  /** Takes the item out of its lease. False when it is not leased to this worker. */
  close(item: SettledItem): boolean {
    if (!this.leaseOf(item)) return false;
    const closed = this.#closed.get(item.lease) ?? new Set();
    this.#closed.set(item.lease, closed.add(item.seq));
    return true;
  }

  queue(id: number): QueueTally {
    let tally = this.#queues.get(id);
    if (!tally) this.#queues.set(id, (tally = new QueueTally(this.#book.one("queue", id)!)));
    return tally;
  }

  job(number: number): JobTally {
    let tally = this.#jobs.get(number);
    if (!tally) this.#jobs.set(number, (tally = new JobTally(this.#book.known("job", number)!)));
    return tally;
  }

  /** The job's own counters have it from now on. */
  paid({ queue, attempt }: SettledItem): void {
    const { requests, bytes } = this.#paid.get(queue) ?? { requests: 0, bytes: 0 };
    this.#paid.set(queue, { requests: requests + attempt.requests, bytes: bytes + attempt.bytes });
  }

  writeJob(job: JobTally): void {
    job.write(this.#book);
  }

  reread(job: JobTally): void {
    job.reread(this.#book);
  }

  write(): void {
    if (this.#closed.size === 0) return;
    const book = this.#book;
    this.#writeWorker();
    book.each(this.#queues.values(), (queue) => queue.write(book));
    book.each(this.#jobs.values(), (job) => {
      job.write(book);
      tellFailed(book, job.record.id, job.failed);
      spendBudget(book, job.record.number);
      endJobWhenDone(book, job.record.number);
    });
  }

  #writeWorker(): void {
    const worker = this.#book.one("worker", this.#worker)!;
    const leases = worker.leases.flatMap((lease) => {
      const closed = this.#closed.get(lease.id);
      if (!closed) return lease;
      const open = withoutPlaces(lease.open, closed);
      return open.length === 0 ? [] : { ...lease, open };
    });
    const ended = [...this.#closed].map(([id, seqs]) => ({ ...this.#leases.get(id)!, seqs }));
    this.#book.put("worker", {
      ...stopRunning(worker, ended),
      leases,
      unsettled: this.#unsettled(worker.unsettled),
    });
  }

  #unsettled(before: readonly number[]): number[] {
    const left: number[] = [];
    for (let i = 0; i < before.length; i += 3) {
      const [queue, requests, bytes] = [before[i]!, before[i + 1]!, before[i + 2]!];
      const paid = this.#paid.get(queue) ?? { requests: 0, bytes: 0 };
      if (requests > paid.requests)
        left.push(queue, requests - paid.requests, Math.max(0, bytes - paid.bytes));
    }
    return left;
  }
}
