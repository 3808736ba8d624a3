import type { FailureKind } from "../domain/failure.ts";
import type { ItemRef } from "../domain/item.ts";
import { CAPS, type JobCaps, type JobSpec, type RejectedInput } from "../domain/job.ts";
import { type AddReply, LedgerError, type PlannedItem } from "../ports/ledger.ts";
import { jobNamed, mustGoOn, openQueues } from "./control-job.ts";
import { setShare } from "./control-lane.ts";
import { countRejected } from "./emit-items.ts";
import { endJobWhenDone } from "./end-job.ts";
import { takeFailure } from "./failures.ts";
import {
  capOf,
  countForQuota,
  countInputs,
  countInserted,
  insertItems,
  letInCapped,
  quotaRoom,
} from "./insert-items.ts";
import { itemHash, nextHash } from "./item-keys.ts";
import { type Job, newRetry, type Result } from "./records.ts";
import { wakeShare } from "./shares.ts";
import { type Transaction, want } from "./transaction.ts";

const isSameSpec = (a: JobSpec, b: JobSpec): boolean => JSON.stringify(a) === JSON.stringify(b);

/** If it is sent again, it has already been done. */
export const createJob = (tx: Transaction, spec: JobSpec): void => {
  const { id, client, labels = {} } = spec;
  tx.need(want("jobNamed", id), want("removal", id), want("client", client), want("service"));
  const known = tx.one("jobNamed", id);
  if (known && known.received === 0 && isSameSpec(known.spec, spec)) return;
  if (known || tx.one("removal", id))
    throw new LedgerError("job-exists", `${id}: a job of this name exists, or did.`);
  if (!tx.one("client", client)) setShare(tx, client, { weight: 1 });
  const service = tx.one("service")!;
  const number = service.lastJob + 1;
  tx.patch("service", service, { lastJob: number });
  tx.put("job", {
    number,
    id,
    client,
    spec,
    state: "loading",
    isSealed: false,
    createdAt: tx.now,
    endedAt: null,
    deadlineAt: spec.deadlineAt ?? null,
    spentAt: null,
    paused: null,
    revision: 0,
    reopenedAt: null,
    keySeed: tx.random(),
    received: 0,
    accepted: 0,
    folded: 0,
    rejected: 0,
    rejects: [],
    capped: Object.fromEntries(CAPS.map((cap) => [cap, 0])) as Job["capped"],
    done: 0,
    absent: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
    partial: 0,
    requests: 0,
    bytes: 0,
    fieldCounts: spec.fields.flatMap(() => [0, 0, 0, 0]),
    failures: {},
    changes: {},
    costs: {},
  });
  for (const [name, value] of [["", spec.scraper] as const, ...Object.entries(labels)])
    tx.put("label", { name, value, job: number });
  tx.tell("job.started", id, { scraper: spec.scraper });
};

export const addItems = (
  tx: Transaction,
  id: string,
  items: readonly PlannedItem[],
  rejected: readonly RejectedInput[],
): AddReply => {
  const job = openJob(tx, id);
  countRejected(tx, job.number, rejected);
  const given = () => ({ depth: 0, chain: 0 });
  const added = insertItems(tx, job.number, items, job.spec.maxItems - job.accepted, Infinity, given);
  countInserted(tx, job.number, added);
  const { accepted, folded, capped } = added;
  return { accepted, folded, capped };
};

/** A job that accepts inputs. */
export const openJob = (tx: Transaction, id: string): Job => {
  const job = jobNamed(tx, id);
  if (job.spentAt !== null)
    throw new LedgerError(
      "job-ended",
      `${id}: the job's budget is spent and it takes no more inputs. Start a new one.`,
    );
  if (job.state === "done" || job.state === "cancelled")
    throw new LedgerError("job-ended", `${id}: the job has ended and takes no more inputs. Start a new one.`);
  return job;
};

/** No more inputs will be sent: the job is done when its items have ended. */
export const sealJob = (tx: Transaction, id: string): void => {
  const job = jobNamed(tx, id);
  tx.patch("job", job, { isSealed: true, state: job.state === "loading" ? "running" : job.state });
  endJobWhenDone(tx, job.number);
};

/** Failed items of a job after a place, by kind, to be queued again. */
export const retryFailed = (
  tx: Transaction,
  id: string,
  kinds: readonly FailureKind[] | undefined,
  after: ItemRef,
  limit: number,
): { readonly count: number; readonly last: ItemRef | undefined } => {
  const job = jobNamed(tx, id);
  mustGoOn(tx, job, true);
  const args = [job.number, kinds ? JSON.stringify(kinds) : null, after.queue, after.seq, limit] as const;
  const failed = tx.list("failedAfter", ...args);
  putBack(tx, job, failed);
  return { count: failed.length, last: refOf(failed.at(-1)) };
};

const refOf = (at: ItemRef | undefined): ItemRef | undefined => at && { queue: at.queue, seq: at.seq };

interface RetriedKeys {
  readonly kinds: readonly FailureKind[] | undefined;
  readonly isAbsentToo: boolean;
}

/** The failed items with these keys, of any of the job's scrapers. */
export const retryKeys = (
  tx: Transaction,
  id: string,
  keys: readonly string[],
  { kinds, isAbsentToo }: RetriedKeys,
): number => {
  const job = jobNamed(tx, id);
  mustGoOn(tx, job, true);
  const wanted = [...new Set(keys)].flatMap((key) =>
    job.spec.scrapers.map((_, scraper) => ({ key, scraper })),
  );
  tx.need(...wanted.map(({ key, scraper }) => want("key", job.number, itemHash(key, scraper, job))));
  const places = wanted.flatMap(({ key, scraper }) => {
    for (let hash = itemHash(key, scraper, job); ; hash = nextHash(hash)) {
      const at = tx.one("key", job.number, hash);
      if (!at) return [];
      const item = tx.one("item", at.queue, at.seq);
      if (item?.key === key && item.scraper === scraper) return at;
    }
  });
  tx.need(...places.map(({ queue, seq }) => want("result", queue, seq)));
  const failed = places
    .flatMap(({ queue, seq }) => tx.one("result", queue, seq) ?? [])
    .filter(
      ({ state, failure }) =>
        (state === "failed" && failure && (!kinds || kinds.includes(failure.kind))) ||
        (state === "absent" && isAbsentToo),
    );
  putBack(tx, job, failed);
  return failed.length;
};

/** As if they had never been tried; earlier failures stay in their history. */
const putBack = (tx: Transaction, before: Job, ended: readonly Result[]): void => {
  if (ended.length === 0) return;
  const queues = Map.groupBy(ended, ({ queue }) => queue);
  tx.need(
    ...queues.keys().flatMap((queue) => [want("queue", queue), want("shareOfQueue", queue)]),
    ...ended.map(({ queue, seq }) => want("retry", queue, seq)),
    ...(before.state === "done" ? [want("queuesOf", before.number)] : []),
  );
  let { failures } = before;
  const failed = ended.filter(({ state }) => state === "failed").length;
  for (const { queue, seq, failure, captures, records, attempt, revision } of ended) {
    const { history } = tx.one("retry", queue, seq) ?? newRetry(queue, seq);
    const last = { failure, captures, records, attempt, revision };
    tx.put("retry", { ...newRetry(queue, seq), dueAt: tx.now, history, last });
    tx.drop("result", queue, seq);
    if (failure) failures = takeFailure(failures, failure.kind);
  }
  for (const [id, some] of queues) {
    const queue = tx.one("queue", id)!;
    const dueAt = Math.min(tx.now, queue.dueAt ?? Infinity);
    tx.patch("queue", queue, { open: queue.open + some.length, dueAt });
    wakeShare(tx, queue.lane, queue.client, tx.now);
  }
  const job = tx.patch("job", before, {
    failed: before.failed - failed,
    absent: before.absent - (ended.length - failed),
    failures,
    endedAt: null,
    reopenedAt: tx.now,
    state: before.state === "done" ? "running" : before.state,
  });
  // The job may have ended while it was paused or held: nobody would resume a job that has ended.
  if (before.state === "done") goOn(tx, job);
};

/** A job that has ended. */
const goOn = (tx: Transaction, job: Job): void => {
  openQueues(tx, job.number);
  tx.tell("job.resumed", job.id);
};

export const raiseCaps = (tx: Transaction, id: string, caps: JobCaps): void => {
  const job = jobNamed(tx, id);
  mustGoOn(tx, job, true);
  tx.patch("job", job, { spec: raised(job.spec, caps) });
};

const raised = (spec: JobSpec, caps: JobCaps): JobSpec => {
  const { maxItems = spec.maxItems, maxDepth = spec.maxDepth, maxChain = Infinity } = caps;
  const chains = spec.scrapers.flatMap((one) => one.maxChain ?? []);
  mustNotLower(spec.id, "maxItems", spec.maxItems, maxItems);
  mustNotLower(spec.id, "maxDepth", spec.maxDepth, maxDepth);
  if (chains.length > 0) mustNotLower(spec.id, "maxChain", Math.min(...chains), maxChain);
  for (const name of ["requests", "bytes", "cost"] as const) {
    const limit = caps.budget?.[name];
    if (limit !== undefined)
      mustNotLower(spec.id, `budget of ${name}`, spec.budget?.[name] ?? Infinity, limit);
  }
  const scrapers = spec.scrapers.map((one) =>
    one.maxChain === undefined || caps.maxChain === undefined
      ? one
      : { ...one, maxChain: Math.max(one.maxChain, maxChain) },
  );
  const budget = caps.budget && { budget: { ...spec.budget, ...caps.budget } };
  return { ...spec, maxItems, maxDepth, scrapers, ...budget };
};

const mustNotLower = (id: string, name: string, now: number, asked: number): void => {
  if (asked < now)
    throw new LedgerError(
      "lower-cap",
      `${id}: its ${name} is ${now} and cannot be lowered to ${asked}: limits of a job can only be raised.`,
    );
};

/** Capped inputs after a place: those that now fit become items. Returns their number, and the last input that was considered. */
export const letIn = (
  tx: Transaction,
  id: string,
  after: ItemRef,
  limit: number,
): {
  readonly accepted: number;
  readonly last: ItemRef | undefined;
} => {
  const job = jobNamed(tx, id);
  mustGoOn(tx, job, true);
  const rows = tx.list("cappedAfter", job.number, after.queue, after.seq, limit);
  if (rows.length === 0) return { accepted: 0, last: undefined };
  const queues = new Set(rows.map(({ queue }) => queue));
  tx.need(
    want("client", job.client),
    want("share", 0, job.client),
    ...queues.values().flatMap((queue) => [want("queue", queue), want("shareOfQueue", queue)]),
  );
  const { spec } = job;
  const room = spec.maxItems - job.accepted;
  const { accepted, capChange } = letInCapped(
    tx,
    rows,
    (row) => capOf(spec, row),
    room,
    quotaRoom(tx, job.client),
  );
  const freed = -Object.values(capChange).reduce((sum, n) => sum + n, 0);
  countInputs(tx, job.number, { received: 0, accepted, folded: freed - accepted, capChange });
  if (capChange.quota < 0) countForQuota(tx, job.number, -capChange.quota);
  if (accepted > 0 && job.state === "done") {
    tx.patch("job", tx.known("job", job.number)!, { state: "running", endedAt: null });
    goOn(tx, job);
  }
  return { accepted, last: refOf(rows.at(-1)) };
};
