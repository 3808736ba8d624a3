import { withoutStorage } from "../domain/cost.ts";
import { canaryRevision } from "../domain/job-version.ts";
import type { ItemRef, Outcome } from "../domain/item.ts";
import type { SettledItem, SettleReply } from "../ports/ledger.ts";
import { type Transaction, type Want, want } from "./transaction.ts";
import { borrowsRemoved, noteBorrowed, removalWants } from "./borrowed.ts";
import { canaryWants } from "./canary-counts.ts";
import { chargeWants } from "./charge.ts";
import { OVER_BUDGET } from "./end-job.ts";
import { emitItems, emitWants } from "./emit-items.ts";
import { answerWants, freshWants, leaveFresh, noteFresh } from "./fresh-notes.ts";
import { answerProbe } from "./hold-queue.ts";
import {
  type EndedState,
  type LastResult,
  newRetry,
  type PastRow,
  type Result,
  type Retry,
} from "./records.ts";
import { type JobTally, type QueueTally, SettleBatch } from "./settle-batch.ts";
import { ALL_WORKERS } from "./shares.ts";

/** Whether more than its result is written: then the item and its history are needed. */
const isPlain = ({ outcome }: SettledItem): boolean => outcome.state === "done" || outcome.state === "absent";

export const settleWants = (worker: string, items: readonly SettledItem[]): Want[] => [
  want("worker", worker),
  ...new Set(items.map(({ queue }) => queue))
    .values()
    .flatMap((queue) => [want("queue", queue), want("jobOfQueue", queue), want("shareOfQueue", queue)]),
  ...Map.groupBy(items, ({ queue }) => queue)
    .entries()
    .flatMap(([queue, some]) =>
      chargeWants(
        queue,
        some.some(({ attempt }) => attempt.proxied),
      ),
    ),
  ...items
    .filter((item) => !isPlain(item))
    .flatMap(({ queue, seq }) => [want("item", queue, seq), want("retry", queue, seq)]),
  ...new Set(items.filter(({ outcome }) => "failure" in outcome).map(({ queue }) => queue))
    .values()
    .map((queue) => want("failureTimesOfQueue", queue)),
];

/** Items that are no longer leased to this worker are refused and change nothing. */
export const settle = (tx: Transaction, worker: string, items: readonly SettledItem[]): SettleReply => {
  const batch = new SettleBatch(tx, worker);
  loadRest(tx, batch, items);
  const refused: ItemRef[] = [];
  tx.each(items, (item) => {
    if (batch.close(item)) settleOne(tx, batch, worker, item);
    else if (!isRepeated(tx, worker, item)) refused.push({ queue: item.queue, seq: item.seq });
  });
  batch.write();
  return { refused };
};

/** What only some settles need. */
const loadRest = (tx: Transaction, batch: SettleBatch, items: readonly SettledItem[]): void => {
  const wants: Want[] = [];
  const fresh: SettledItem[] = [];
  for (const item of items) {
    const { queue, seq, captures } = item;
    const lease = batch.leaseOf(item);
    if (!lease) {
      wants.push(want("result", queue, seq), want("retry", queue, seq));
      continue;
    }
    const { job, client, freshness } = batch.queue(queue).record;
    if (lease.hasRetries) wants.push(want("retry", queue, seq));
    if (item.outcome.state === "returned") wants.push(...refundWants(queue, client));
    if (freshness) fresh.push(item);
    const { record } = batch.job(job);
    wants.push(...removalWants(record.id, captures), ...canaryWants(record));
    if (item.emitted.length > 0 || item.rejected?.length) wants.push(...emitWants(tx, job, item));
  }
  tx.need(...wants, ...freshWants(fresh));
  tx.need(...fresh.flatMap((item) => answerWants(tx, item)));
};

const refundWants = (queue: number, client: string): Want[] => [
  want("lane", ALL_WORKERS),
  want("share", ALL_WORKERS, client),
  want("clientOfQueue", queue),
];

/** A settle whose response was lost is sent again: what was accepted counts as its response. */
const isRepeated = (
  tx: Transaction,
  worker: string,
  { queue, seq, lease, attempt, outcome }: SettledItem,
): boolean => {
  const result = tx.one("result", queue, seq);
  const last = outcome.state === "waiting" ? tx.one("retry", queue, seq)?.last?.attempt : result?.attempt;
  if (result && outcome.state !== "waiting" && result.state !== outcome.state) return false;
  return last?.[0] === attempt.startedAt && last[4] === worker && last[6] === lease;
};

const settleOne = (tx: Transaction, batch: SettleBatch, worker: string, settled: SettledItem): void => {
  const { queue: id, seq } = settled;
  const queue = batch.queue(id);
  const job = batch.job(queue.record.job);
  const told = readable(tx, job, settled);
  const retry = tx.known("retry", id, seq);
  const outcome = lastWord(job, told, retry?.attempts ?? 0);
  const item = outcome === told.outcome ? told : { ...told, outcome };
  const isUntried = told.outcome.state === "returned";
  if (isUntried && item.attempt.requests === 0) queue.unused++;
  if (queue.isProbe) answerByProbe(tx, queue, told.outcome);
  const isCancelled = job.isCancelled && (outcome.state === "waiting" || outcome.state === "returned");
  job.add(item, isCancelled);
  queue.settled++;
  batch.paid(item);
  if (outcome.state === "returned") {
    if (queue.record.freshness) leaveFresh(tx, item);
    if (isCancelled) return endCancelled(tx, queue, retry ?? newRetry(id, seq));
    // A suspect that is returned untried stays a suspect. An acting request that was announced was not sent.
    const back = retry ?? newRetry(id, seq);
    tx.put("retry", {
      ...back,
      state: back.state === "suspect" ? "suspect" : "queued",
      dueAt: tx.now,
      hasActed: false,
    });
    queue.back(tx.now, back.state === "suspect");
    return;
  }
  const revision = revisionBy(job, item);
  const last = lastResult(worker, item, revision);
  const change = queue.record.freshness ? noteFresh(tx, item) : undefined;
  if (change) job.addChange(change);
  const failure = "failure" in outcome ? outcome.failure : undefined;
  const past = failure && { ...pastOf(worker, item, revision), failure };
  if (failure)
    job.addFailure(
      failure,
      { queue: id, seq, key: tx.one("item", id, seq)!.key },
      outcome.state === "failed",
      isUntried,
    );
  if (outcome.state === "waiting") {
    const before = retry ?? newRetry(id, seq);
    const next: Retry = {
      ...before,
      state: "waiting",
      dueAt: tx.now + outcome.delayMs,
      attempts: before.attempts + (outcome.countsAttempt ? 1 : 0),
      throttles: before.throttles + (outcome.countsAttempt ? 0 : 1),
      hasActed: false,
      last,
      history: past ? [...before.history, past] : before.history,
    };
    if (isCancelled) endCancelled(tx, queue, next);
    else {
      tx.put("retry", next);
      queue.wait(next.dueAt!);
    }
  } else {
    const attempts = (retry?.attempts ?? 0) + (isUntried ? 0 : 1);
    tx.append("result", endOf(item, outcome, last, { attempts, endedAt: tx.now, change: change ?? null }));
    if (past)
      tx.put("retry", {
        ...(retry ?? newRetry(id, seq)),
        dueAt: null,
        history: [...(retry?.history ?? []), past],
      });
    queue.ended++;
  }
  noteBorrowed(tx, item, job.record.id, item.captures);
  if (item.emitted.length > 0 || item.rejected?.length) {
    batch.writeJob(job);
    emitItems(tx, queue.record.job, item);
    batch.reread(job);
  }
};

/** The version of the claim, or of the job's canary; both are known. */
const revisionBy = ({ record: { spec, revision } }: JobTally, item: SettledItem): number =>
  Math.min(item.revision ?? revision, spec.canary ? canaryRevision(spec) : revision);

export type EndedOutcome = Exclude<Outcome, { state: "waiting" | "returned" }>;

export const endOf = (
  { queue, seq }: ItemRef,
  outcome: EndedOutcome,
  last: LastResult,
  own: Pick<Result, "attempts" | "endedAt" | "change">,
): Result => ({
  queue,
  seq,
  state: outcome.state satisfies EndedState,
  attempts: own.attempts,
  endedAt: own.endedAt,
  quality: "quality" in outcome ? outcome.quality : null,
  skipped: outcome.state === "skipped" ? { reason: outcome.reason } : null,
  change: own.change,
  // Named one by one: spreading `last` and `own` takes as long as the rest of a settle's rule.
  failure: last.failure,
  captures: last.captures,
  records: last.records,
  attempt: last.attempt,
  revision: last.revision,
});

/** It will not be tried again: with this due time, it counts as cancelled. */
const endCancelled = (tx: Transaction, queue: QueueTally, retry: Retry): void => {
  tx.put("retry", { ...retry, state: "queued", dueAt: tx.now });
  queue.ended++;
};

type Told = Omit<SettledItem, "lease" | keyof ItemRef> & { readonly lease?: number };

export const lastResult = (worker: string, item: Told, revision: number): LastResult => {
  const { outcome, attempt, captures, records } = item;
  const { startedAt, ms, requests, bytes } = attempt;
  const proxied = attempt.proxied && withoutStorage(attempt.proxied);
  return {
    failure: "failure" in outcome ? outcome.failure : null,
    captures,
    records,
    attempt: [
      startedAt,
      ms,
      requests,
      bytes,
      worker,
      outcome.state === "absent" ? outcome.detail : null,
      item.lease,
      ...(proxied?.length ? [proxied] : []),
    ],
    revision,
  };
};

export const pastOf = (worker: string, { attempt }: Told, revision: number): Omit<PastRow, "failure"> => {
  const { startedAt: at, ms, requests, bytes } = attempt;
  const proxied = attempt.proxied && withoutStorage(attempt.proxied);
  return {
    at,
    ms,
    worker,
    requests,
    bytes,
    ...(proxied?.length && { proxied }),
    ...(revision > 0 && { revision }),
  };
};

/** An item whose pages were removed with another job is returned, and fetched. */
const readable = (tx: Transaction, { record }: JobTally, item: SettledItem): SettledItem =>
  borrowsRemoved(tx, item.attempt.startedAt, record.id, item.captures)
    ? { ...item, outcome: { state: "returned" }, captures: [], records: null, fieldCounts: null, emitted: [] }
    : item;

/** Applies the job's own limits to an outcome. */
const lastWord = (
  { record: { spec, spentAt } }: JobTally,
  { outcome }: SettledItem,
  attempts: number,
): Outcome => {
  if (outcome.state !== "waiting" && outcome.state !== "returned") return outcome;
  if (spentAt !== null) return { state: "failed", failure: OVER_BUDGET };
  if (spec.maxAttempts === undefined || outcome.state === "returned" || !outcome.countsAttempt)
    return outcome;
  return attempts + 1 < spec.maxAttempts ? outcome : { state: "failed", failure: outcome.failure };
};

/**
 * The pulse reports a probe's outcome earlier, unless the worker died in between; a probe that is returned untried is reported
 * only here.
 */
const answerByProbe = (tx: Transaction, queue: QueueTally, { state }: Outcome): void => {
  queue.isProbe = false;
  const { id } = queue.record;
  if (state === "returned") tx.patch("queue", queue.record, { isProbing: false });
  else answerProbe(tx, id, state === "done" || state === "absent" || state === "skipped");
};
