import { addTierCosts, NO_COST, tierCostList, type TierCosts } from "../domain/cost.ts";
import type { Failure } from "../domain/failure.ts";
import { addFailurePairs, type FailurePairs } from "../domain/failure-times.ts";
import type { Change } from "../domain/freshness.ts";
import type { ItemRef } from "../domain/item.ts";
import type { SettledItem } from "../ports/ledger.ts";
import { fieldsIn, movedCounts } from "../domain/job-version.ts";
import { CanaryTally } from "./canary-counts.ts";
import { charge } from "./charge.ts";
import { endJobWhenDone } from "./end-job.ts";
import { addFailure, type FailedItem, noteFailures, tellFailed } from "./failures.ts";
import type { Job, Lease, Queue, Worker } from "./records.ts";
import { ALL_WORKERS, chargeShare, wakeLane, wakeShare } from "./shares.ts";
import { spendBudget } from "./spend-budget.ts";
import type { Transaction } from "./transaction.ts";
import { hasPlace, isKnown, stopRunning, withoutPlaces } from "./workers.ts";

/** What a batch changes in a queue, apart from its items. */
export class QueueTally {
  readonly record: Queue;
  /** The next settled item is the probe of a held lane. */
  isProbe: boolean;
  /** Items that are no longer leased, and how many of them have ended. */
  settled = 0;
  ended = 0;
  /** Items that were returned before they started: they count in their client's share when they are claimed again. */
  unused = 0;
  #waiting = 0;
  #dueAt = Infinity;

  constructor(record: Queue) {
    this.record = record;
    this.isProbe = record.isProbing && !record.isClaimable;
  }

  /** An item was returned. A suspect waits for a separate process, not for a claim. */
  back(dueAt: number, isSuspect: boolean): void {
    if (!isSuspect) this.#dueAt = Math.min(this.#dueAt, dueAt);
  }

  wait(dueAt: number): void {
    this.#waiting++;
    this.#dueAt = Math.min(this.#dueAt, dueAt);
  }

  write(tx: Transaction): void {
    if (this.settled === 0) return;
    const queue = tx.known("queue", this.record.id)!;
    const open = queue.open - this.ended;
    const isDue = this.#dueAt < Infinity;
    tx.patch("queue", queue, {
      open,
      leased: queue.leased - this.settled,
      waiting: queue.waiting + this.#waiting,
      ...(isDue && { dueAt: Math.min(this.#dueAt, queue.dueAt ?? Infinity) }),
    });
    if (this.unused > 0) {
      const lane = tx.one("lane", ALL_WORKERS)!;
      const share = tx.one("share", ALL_WORKERS, queue.client);
      chargeShare(tx, lane, share, tx.one("clientOfQueue", queue.id)!.weight, -this.unused);
    }
    if (isDue) wakeShare(tx, queue.lane, queue.client, this.#dueAt);
    // With its last item, a job's rate no longer limits the lane.
    if (open === 0 && this.ended > 0) wakeLane(tx, queue.lane, tx.now);
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
  #newFailures: { readonly pairs: FailurePairs; readonly queue: number } | undefined;
  #changes: Job["changes"];
  #costs: Job["costs"];
  readonly #canary = new CanaryTally();

  constructor(record: Job) {
    this.record = record;
    this.isCancelled = record.state === "cancelled";
    this.#failures = record.failures;
    this.#changes = record.changes;
    this.#costs = record.costs;
  }

  /** `isCancelled`: its job was cancelled, and the item would have to be tried again. */
  add(settled: SettledItem, isCancelled: boolean): void {
    const { outcome, attempt, revision = this.record.revision } = settled;
    const { spec } = this.record;
    this.#requests += attempt.requests;
    this.#bytes += attempt.bytes;
    this.#costs = addTierCosts(this.#costs, attempt.proxied);
    if (isCancelled) this.#states.cancelled++;
    else if (outcome.state !== "returned" && outcome.state !== "waiting") this.#states[outcome.state]++;
    if (outcome.state === "done" && outcome.quality === "partial") this.#partial++;
    const laidOut = fieldsIn(spec, revision);
    const { fieldCounts: given } = settled;
    const fieldCounts = given && laidOut !== spec.fields ? movedCounts(given, laidOut, spec.fields) : given;
    if (!isCancelled && (spec.canary ?? spec.pastCanary)) this.#canary.add(spec, settled, fieldCounts);
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
    const pair = [Number(isFinal), Number(!isUntried)] as const;
    const pairs = addFailurePairs(this.#newFailures?.pairs, { [failure.kind]: pair });
    this.#newFailures = { pairs, queue: item.queue };
    if (isFinal) this.failed.push({ ...item, failure });
  }

  addChange(change: Change): void {
    this.#changes = { ...this.#changes, [change]: (this.#changes[change] ?? 0) + 1 };
  }

  write(tx: Transaction): void {
    const job = tx.known("job", this.record.number)!;
    const { done, absent, failed, skipped, cancelled } = this.#states;
    tx.patch("job", job, {
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
      costs: this.#costs,
    });
    if (job.spec.canary ?? job.spec.pastCanary) this.#canary.write(tx, job);
    if (this.#newFailures) noteFailures(tx, job.number, this.#newFailures.pairs, this.#newFailures.queue);
    this.#newFailures = undefined;
    this.reread(tx);
  }

  /** Others have written the job, or its counts are written: later changes are added to that. */
  reread(tx: Transaction): void {
    this.record = tx.known("job", this.record.number)!;
    this.#states = { done: 0, absent: 0, failed: 0, skipped: 0, cancelled: 0 };
    [this.#partial, this.#requests, this.#bytes] = [0, 0, 0];
    this.#fields = undefined;
    this.#failures = this.record.failures;
    this.#changes = this.record.changes;
    this.#costs = this.record.costs;
  }
}

/** What one batch of settlements changes apart from the items, written once at its end. */
export class SettleBatch {
  readonly #tx: Transaction;
  readonly #worker: string;
  readonly #leases: ReadonlyMap<number, Lease>;
  readonly #closed = new Map<number, Set<number>>();
  readonly #queues = new Map<number, QueueTally>();
  readonly #jobs = new Map<number, JobTally>();
  readonly #paid = new Map<number, { requests: number; bytes: number; costs: TierCosts }>();

  constructor(tx: Transaction, name: string) {
    this.#tx = tx;
    this.#worker = name;
    const worker = tx.one("worker", name);
    this.#leases = new Map(worker && isKnown(worker) ? worker.leases.map((lease) => [lease.id, lease]) : []);
  }

  /** The fence: the lease under which this worker still has the item. */
  leaseOf({ lease: id, queue, seq }: SettledItem): Lease | undefined {
    const lease = this.#leases.get(id);
    const isHeld = lease?.queue === queue && hasPlace(lease.open, seq) && !this.#closed.get(id)?.has(seq);
    return isHeld ? lease : undefined;
  }

  /** Takes the item out of its lease. False if it is not leased to this worker. */
  close(item: SettledItem): boolean {
    if (!this.leaseOf(item)) return false;
    const closed = this.#closed.get(item.lease) ?? new Set();
    this.#closed.set(item.lease, closed.add(item.seq));
    return true;
  }

  queue(id: number): QueueTally {
    let tally = this.#queues.get(id);
    if (!tally) this.#queues.set(id, (tally = new QueueTally(this.#tx.one("queue", id)!)));
    return tally;
  }

  job(number: number): JobTally {
    let tally = this.#jobs.get(number);
    if (!tally) this.#jobs.set(number, (tally = new JobTally(this.#tx.known("job", number)!)));
    return tally;
  }

  /** The job's own counters include it now. */
  paid({ queue, attempt }: SettledItem): void {
    let paid = this.#paid.get(queue);
    if (!paid) this.#paid.set(queue, (paid = { requests: 0, bytes: 0, costs: {} }));
    paid.requests += attempt.requests;
    paid.bytes += attempt.bytes;
    paid.costs = addTierCosts(paid.costs, attempt.proxied);
  }

  writeJob(job: JobTally): void {
    job.write(this.#tx);
  }

  reread(job: JobTally): void {
    job.reread(this.#tx);
  }

  write(): void {
    if (this.#closed.size === 0) return;
    const tx = this.#tx;
    this.#writeWorker();
    tx.each(this.#queues.values(), (queue) => queue.write(tx));
    for (const [id, { requests, bytes, costs }] of this.#paid)
      charge(tx, this.queue(id).record, { requests, bytes, proxied: tierCostList(costs) });
    tx.each(this.#jobs.values(), (job) => {
      job.write(tx);
      tellFailed(tx, job.record.id, job.failed);
      spendBudget(tx, job.record.number);
      endJobWhenDone(tx, job.record.number);
    });
  }

  #writeWorker(): void {
    const worker = this.#tx.one("worker", this.#worker)!;
    const leases = worker.leases.flatMap((lease) => {
      const closed = this.#closed.get(lease.id);
      if (!closed) return lease;
      const open = withoutPlaces(lease.open, closed);
      return open.length === 0 ? [] : { ...lease, open };
    });
    const ended = [...this.#closed].map(([id, seqs]) => ({ ...this.#leases.get(id)!, seqs }));
    this.#tx.put("worker", {
      ...stopRunning(worker, ended),
      leases,
      unsettled: this.#unsettled(worker.unsettled),
      unsettledTiers: this.#unsettledTiers(worker.unsettledTiers),
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

  #unsettledTiers(before: Worker["unsettledTiers"]): Worker["unsettledTiers"] {
    return before.flatMap(({ queue, tier, ...cost }) => {
      const costs = this.#paid.get(queue)?.costs ?? {};
      const paid = (Object.hasOwn(costs, tier) ? costs[tier] : undefined) ?? NO_COST;
      if (cost.requests <= paid.requests) return [];
      const requests = cost.requests - paid.requests;
      const bytes = Math.max(0, cost.bytes - paid.bytes);
      return [{ queue, tier, requests, bytes, microCost: Math.max(0, cost.microCost - paid.microCost) }];
    });
  }
}
