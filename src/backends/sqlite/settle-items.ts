import type { ItemRef, Outcome } from "../../model/item.ts";
import type { SettledItem, SettleReply } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { EMIT_CHUNK, emitAhead, emitItems } from "./emit-items.ts";
import { leaveFresh, noteFresh } from "./fresh-notes.ts";
import { answerProbe } from "./hold-queue.ts";
import { itemText } from "./row-sums.ts";
import { saveResult } from "./save-result.ts";
import { Batch, type ItemFacts, type JobFacts, type QueueFacts } from "./settle-batch.ts";
import { borrowsRemoved } from "./removals/borrowed.ts";
import { OVER_BUDGET } from "./spend-budget.ts";

export const settleItems = async (
  db: Database,
  worker: string,
  items: readonly SettledItem[],
): Promise<SettleReply> => {
  const refused: ItemRef[] = [];
  for (const some of inTransactions(items)) {
    const ready: SettledItem[] = [];
    for (const item of some)
      ready.push(item.emitted.length > EMIT_CHUNK ? await emitAhead(db, worker, item) : item);
    refused.push(...(await db.write(() => settleSome(db, worker, ready))));
  }
  return { refused };
};

/** An item that emits costs as much as so many that are emitted: its job, lanes and queues are looked up. */
const EMIT_COST = 5;

/** As many in one transaction as their emitted items allow; where nothing is emitted, all of them. */
function* inTransactions(items: readonly SettledItem[]): Generator<readonly SettledItem[]> {
  let some: SettledItem[] = [];
  let emitted = 0;
  for (const item of items) {
    const count = item.emitted.length === 0 ? 0 : Math.min(item.emitted.length + EMIT_COST, EMIT_CHUNK);
    if (some.length > 0 && emitted + count > EMIT_CHUNK) {
      yield some;
      some = [];
      emitted = 0;
    }
    some.push(item);
    emitted += count;
  }
  if (some.length > 0) yield some;
}

const settleSome = (db: Database, worker: string, items: readonly SettledItem[]): ItemRef[] => {
  const batch = new Batch(db, worker, items);
  const refused: ItemRef[] = [];
  for (const item of items) {
    if (!holdsLease(batch, item) || !settleOne(db, batch, worker, item))
      refused.push({ queue: item.queue, seq: item.seq });
  }
  batch.write();
  return refused;
};

const holdsLease = (batch: Batch, item: SettledItem): boolean => {
  const lease = batch.lease(item.lease);
  return lease !== undefined && lease.queue === item.queue && lease.lo <= item.seq && item.seq <= lease.hi;
};

const settleOne = (db: Database, batch: Batch, worker: string, settled: SettledItem): boolean => {
  const { queue, seq } = settled;
  const row = batch.take(settled);
  if (!row) return false;
  const now = db.now();
  const facts = batch.queue(queue);
  const job = batch.job(facts.job);
  const told = readable(db, job, settled);
  const outcome = lastWord(row, job, told);
  const item = outcome === told.outcome ? told : { ...told, outcome };
  const isCancelled = job.isCancelled && (outcome.state === "waiting" || outcome.state === "returned");
  const [next, counts, throttled, dueAt] = nextRow(item, now);
  const state = isCancelled ? 0 : next;
  const isUntried = told.outcome.state === "returned";
  const attempts = row.attempts + (isUntried ? 0 : counts);
  const throttles = row.throttles + throttled;
  if (state > 2) batch.end({ queue, seq, state, attempts, throttles });
  else
    db.run(
      "UPDATE items SET state = ?, attempts = ?, throttles = ?, due_at = ? WHERE queue = ? AND seq = ?",
      state,
      attempts,
      throttles,
      isCancelled ? now : dueAt,
      queue,
      seq,
    );
  batch.lease(item.lease)!.open--;
  if (facts.isProbe) answerByProbe(db, facts, queue, told.outcome);
  job.tally.add(item, isCancelled);
  batch.paid(item);
  // Its acting request was announced, and did not leave: what has acted comes back neither way.
  if (outcome.state === "returned" || outcome.state === "waiting")
    db.run("UPDATE items SET acted = 0 WHERE queue = ? AND seq = ? AND acted = 1", queue, seq);
  if (outcome.state === "returned") leaveFresh(db, [item]);
  if (isUntried && item.attempt.requests === 0) facts.unused++;
  if (outcome.state === "returned" && !isCancelled) {
    facts.isTouched = true;
    keepSuspect(db, queue, seq, now);
    return true;
  }
  if (batch.hasSuspects) db.run("DELETE FROM suspects WHERE queue = ? AND seq = ?", queue, seq);
  if (outcome.state === "waiting" && !isCancelled) facts.isTouched = true;
  else facts.ended++;
  if (outcome.state === "returned") return true;
  const failure = "failure" in outcome ? outcome.failure : undefined;
  if (failure) {
    const key = keyOf(db, queue, seq);
    job.tally.addFailure(failure, key, outcome.state === "failed", isUntried);
    if (outcome.state === "failed") job.failed.push({ queue, seq, key, failure });
  }
  const change = job.spec.freshness && noteFresh(db, item);
  saveResult(db, worker, item, itemText(row.fixed, state, attempts, throttles), failure, change, job.spec);
  if (item.emitted.length > 0 || item.rejected?.length) emitItems(db, facts.job, item);
  return true;
};

/** An item whose pages have gone with another job is given back, and fetched. */
const readable = (db: Database, { spec }: JobFacts, item: SettledItem): SettledItem =>
  borrowsRemoved(db, item.attempt.startedAt, spec.id, item.captures)
    ? { ...item, outcome: { state: "returned" }, captures: [], records: null, fieldCounts: null, emitted: [] }
    : item;

/** What the job's own limits make of an outcome. */
const lastWord = (
  { attempts }: ItemFacts,
  { spec, isSpent }: JobFacts,
  { outcome }: SettledItem,
): Outcome => {
  if (outcome.state !== "waiting" && outcome.state !== "returned") return outcome;
  if (isSpent) return { state: "failed", failure: OVER_BUDGET };
  if (spec.maxAttempts === undefined || outcome.state === "returned" || !outcome.countsAttempt)
    return outcome;
  return attempts + 1 < spec.maxAttempts ? outcome : { state: "failed", failure: outcome.failure };
};

/** Given back untried, a suspect is as suspect as before. */
const keepSuspect = (db: Database, queue: number, seq: number, now: number): void => {
  const isSuspect = db.run(
    "UPDATE suspects SET in_hand = 0, due_at = ? WHERE queue = ? AND seq = ?",
    now,
    queue,
    seq,
  );
  if (isSuspect)
    db.run(
      "UPDATE items SET suspect = 1, due_at = NULL, lease = NULL WHERE queue = ? AND seq = ?",
      queue,
      seq,
    );
};

/** The pulse tells a probe's outcome sooner, unless the worker died in between; of one given back untried nobody else tells. */
const answerByProbe = (db: Database, facts: QueueFacts, queue: number, { state }: Outcome): void => {
  facts.isProbe = false;
  if (state === "returned") db.run("UPDATE queues SET probing = 0 WHERE id = ?", queue);
  else answerProbe(db, queue, state === "done" || state === "absent" || state === "skipped");
};

const nextRow = (item: SettledItem, now: number): [number, number, number, number | null] => {
  const { outcome } = item;
  switch (outcome.state) {
    case "done":
      return [3, 1, 0, null];
    case "absent":
      return [4, 1, 0, null];
    case "failed":
      return [5, 1, 0, null];
    case "skipped":
      return [6, 1, 0, null];
    case "waiting":
      return [2, outcome.countsAttempt ? 1 : 0, outcome.countsAttempt ? 0 : 1, now + outcome.delayMs];
    case "returned":
      return [0, 0, 0, now];
    default:
      throw outcome satisfies never;
  }
};

const keyOf = (db: Database, queue: number, seq: number): string =>
  db.get<{ key: string }>("SELECT key FROM items WHERE queue = ? AND seq = ?", queue, seq)!.key;
