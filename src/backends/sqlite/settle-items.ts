import type { Failure } from "../../model/failure.ts";
import type { ItemRef, Outcome, PastAttempt } from "../../model/item.ts";
import type { SettledItem, SettleReply } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { EMIT_CHUNK, emitAhead, emitItems } from "./emit-items.ts";
import { endJobWhenDone } from "./end-job.ts";
import { answerProbe } from "./hold-queue.ts";
import { JobTally } from "./job-tally.ts";
import { isProbeOut, queueRow } from "./queue-row.ts";
import { refreshLane, refreshQueue } from "./refresh-lane.ts";

interface LeaseRow {
  readonly id: number;
  readonly queue: number;
  readonly lo: number;
  readonly hi: number;
  open: number;
}

interface QueueFacts {
  readonly job: number;
  readonly lane: number;
  /** What is settled next is the item that asks whether a held lane has healed. */
  isProbe: boolean;
  /** Items of this queue that have come to their end in this batch. */
  ended: number;
  /** Something became due. */
  isTouched: boolean;
}

/** What one batch of settlements changes beside the items themselves, written once at its end. */
class Batch {
  /** Mostly there are none: then no item need be looked up among them. */
  readonly hasSuspects: boolean;
  readonly leases = new Map<number, LeaseRow | undefined>();
  readonly queues = new Map<number, QueueFacts>();
  readonly jobs = new Map<number, JobTally>();

  constructor(hasSuspects: boolean) {
    this.hasSuspects = hasSuspects;
  }
}

export const settleItems = async (
  db: Database,
  worker: string,
  items: readonly SettledItem[],
): Promise<SettleReply> => {
  const refused: ItemRef[] = [];
  for (const some of inTransactions(items)) {
    const ready: SettledItem[] = [];
    for (const item of some) ready.push(await emitAhead(db, worker, item));
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
  const batch = new Batch(db.get("SELECT 1 FROM suspects LIMIT 1") !== undefined);
  const refused: ItemRef[] = [];
  for (const item of items) {
    if (!holdsLease(db, batch, worker, item) || !settleOne(db, batch, worker, item))
      refused.push({ queue: item.queue, seq: item.seq });
  }
  writeBatch(db, batch);
  return refused;
};

const holdsLease = (db: Database, batch: Batch, worker: string, item: SettledItem): boolean => {
  if (!batch.leases.has(item.lease))
    batch.leases.set(
      item.lease,
      db.get<LeaseRow>(
        "SELECT id, queue, lo, hi, open FROM leases WHERE id = ? AND worker = ?",
        item.lease,
        worker,
      ),
    );
  const lease = batch.leases.get(item.lease);
  return lease !== undefined && lease.queue === item.queue && lease.lo <= item.seq && item.seq <= lease.hi;
};

/** The fence: the row must still be in the hands that this lease stands for. */
const UPDATE_ITEM = `UPDATE items SET state = ?, attempts = attempts + ?, throttles = throttles + ?, due_at = ?
  WHERE queue = ? AND seq = ? AND state = 0 AND due_at IS NULL AND suspect = 0 AND coalesce(lease, ?) = ?`;

const settleOne = (db: Database, batch: Batch, worker: string, item: SettledItem): boolean => {
  const { outcome, queue, seq } = item;
  const now = db.now();
  const facts = queueFacts(db, batch, queue);
  const tally = jobTally(batch, facts.job);
  const [state, counts, throttles, dueAt] = nextRow(item, now);
  const changed = db
    .sql(UPDATE_ITEM)
    .run(state, counts, throttles, dueAt, queue, seq, item.lease, item.lease).changes;
  if (Number(changed) === 0) return false;
  batch.leases.get(item.lease)!.open--;
  if (facts.isProbe) answerByProbe(db, facts, queue, outcome);
  if (outcome.state === "returned") {
    facts.isTouched = true;
    keepSuspect(db, queue, seq, now);
    return true;
  }
  if (batch.hasSuspects) db.run("DELETE FROM suspects WHERE queue = ? AND seq = ?", queue, seq);
  tally.add(item);
  if (outcome.state === "waiting") facts.isTouched = true;
  else facts.ended++;
  const failure = "failure" in outcome ? outcome.failure : undefined;
  if (failure) tally.addFailure(failure, keyOf(db, queue, seq), outcome.state === "failed");
  saveResult(db, worker, item, failure, now);
  if (item.emitted.length > 0 || item.rejected?.length) emitItems(db, facts.job, item);
  return true;
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
  else answerProbe(db, queue, state === "done" || state === "absent");
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

const saveResult = (
  db: Database,
  worker: string,
  item: SettledItem,
  failure: Failure | undefined,
  now: number,
): void => {
  const { queue, seq, outcome, attempt } = item;
  const history = failure ? pastAttempts(db, queue, seq) : undefined;
  if (failure) history!.push({ at: attempt.startedAt, ms: attempt.ms, worker, failure });
  db.sql(
    `INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (queue, seq) DO UPDATE SET ended_at = excluded.ended_at, quality = excluded.quality, failure = excluded.failure,
       captures = excluded.captures, records = excluded.records, history = coalesce(excluded.history, history)`,
  ).run(
    queue,
    seq,
    now,
    outcome.state === "done" ? outcome.quality : null,
    failure ? JSON.stringify(failure) : null,
    item.captures.length > 0 ? JSON.stringify(item.captures) : null,
    item.records ? JSON.stringify(item.records) : null,
    history ? JSON.stringify(history) : null,
  );
};

export const pastAttempts = (db: Database, queue: number, seq: number): PastAttempt[] => {
  const row = db.get<{ history: string | null }>(
    "SELECT history FROM results WHERE queue = ? AND seq = ?",
    queue,
    seq,
  );
  return row?.history ? (JSON.parse(row.history) as PastAttempt[]) : [];
};

const queueFacts = (db: Database, batch: Batch, queue: number): QueueFacts => {
  let facts = batch.queues.get(queue);
  if (!facts) {
    const row = queueRow(db, queue)!;
    facts = { job: row.job, lane: row.lane, isProbe: isProbeOut(row), ended: 0, isTouched: false };
    batch.queues.set(queue, facts);
  }
  return facts;
};

const jobTally = (batch: Batch, job: number): JobTally => {
  let tally = batch.jobs.get(job);
  if (!tally) batch.jobs.set(job, (tally = new JobTally(job)));
  return tally;
};

const writeBatch = (db: Database, batch: Batch): void => {
  for (const lease of batch.leases.values()) {
    if (!lease) continue;
    if (lease.open <= 0) db.run("DELETE FROM leases WHERE id = ?", lease.id);
    else db.run("UPDATE leases SET open = ? WHERE id = ?", lease.open, lease.id);
  }
  for (const [queue, { ended, isTouched, lane }] of batch.queues) {
    const open = db.get<{ open: number }>(
      "UPDATE queues SET open = open - ? WHERE id = ? RETURNING open",
      ended,
      queue,
    )!.open;
    if (isTouched) refreshQueue(db, queue);
    // With its last item a job's rate no longer binds the lane.
    if (isTouched || open === 0) refreshLane(db, lane);
  }
  for (const [job, tally] of batch.jobs) {
    tally.write(db);
    endJobWhenDone(db, job);
  }
};
