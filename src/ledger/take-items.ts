import type { ClaimedItem } from "../ports/ledger.ts";
import type { Transaction } from "./transaction.ts";
import type { ClaimTally } from "./claim.ts";
import { answerFresh } from "./fresh-claims.ts";
import type { DueItems, FreshItems } from "./item-stock.ts";
import { placesOf } from "./workers.ts";
import { retryOf, type DueItem, type FreshItem, type Lane, type Queue } from "./records.ts";

/** Invariant 5: while fresh items are left, due retries may take at most one in four. */
const FRESH_PER_RETRY = 3;
/**
 * Maximum number of items to check, in order to find those that must be fetched when some may be answered from the archive. An
 * answered item books no slot, so a long run of them is passed claim by claim, without waiting.
 */
const LOOK_AHEAD = 100;

/** Takes up to `count` items from a queue and leases them. */
export const takeItems = (
  tx: Transaction,
  tally: ClaimTally,
  queueId: number,
  lane: Lane,
  count: number,
): number => {
  const queue = tx.known("queue", queueId)!;
  const { hasFresh } = queue;
  const run = lane.freshRun;
  const retryCap = hasFresh ? Math.min(count, Math.floor((run + count) / (FRESH_PER_RETRY + 1))) : count;
  const due = takeDue(tx, tally, queue, retryCap);
  const fresh = takeFresh(tx, tally, queue, hasFresh ? count - due.count : 0);
  const taken = due.count + fresh.count;
  for (const item of due.items) tx.put("retry", { ...retryOf(item), dueAt: null });
  if (tally.stock.isPlan) planLease(tally, queue, lane, taken);
  else {
    lease(tally, queue, lane, due.items);
    lease(tally, queue, lane, fresh.items);
  }
  const freshRun = due.count > 0 ? 0 : Math.min(run + fresh.count, FRESH_PER_RETRY * 8);
  if (freshRun !== run) tx.patch("lane", lane, { freshRun });
  if (fresh.hasPassed) tally.hasPassed = true;
  const now = tx.known("queue", queueId)!; // answering from the archive has changed it
  tx.patch("queue", now, {
    cursor: fresh.last,
    hasFresh: fresh.hasMore,
    dueAt: earliest(due.nextAt, now.dueAt === queue.dueAt ? null : now.dueAt),
    leased: now.leased + taken,
    waiting: now.waiting - due.items.filter(({ state }) => state === "waiting").length,
    ...(taken > 0 && { servedAt: tx.now, ...(queue.isProbing && { isClaimable: false }) }),
  });
  return taken;
};

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

const takeDue = (tx: Transaction, tally: ClaimTally, queue: Queue, limit: number): DueItems => {
  if (limit === 0 || queue.dueAt === null || queue.dueAt > tx.now)
    return { count: 0, items: [], nextAt: queue.dueAt };
  const due = tally.stock.due(queue, limit);
  if (queue.freshness === null || tally.stock.isPlan) return due;
  const { left } = answerFresh(tx, queue, due.items, limit);
  if (left.length < due.count) tally.hasPassed = true;
  return { ...due, count: left.length, items: left };
};

/** `last`: where the cursor moves, including over items that were answered from the archive or set aside (`hasPassed`). */
const takeFresh = (
  tx: Transaction,
  { stock }: ClaimTally,
  queue: Queue,
  count: number,
): FreshItems & { readonly hasPassed?: boolean } => {
  if (count === 0) return { count: 0, items: [], last: queue.cursor, hasMore: queue.hasFresh };
  const most = queue.freshness === null ? count : Math.max(count, LOOK_AHEAD);
  const fresh = stock.fresh(queue, most);
  if (queue.freshness === null) return fresh;
  if (stock.isPlan) return { ...fresh, count: Math.min(count, fresh.count) };
  const { left, seen } = answerFresh(tx, queue, fresh.items, count);
  return {
    count: left.length,
    items: left,
    last: fresh.items[seen - 1]?.seq ?? queue.cursor,
    hasMore: fresh.hasMore || seen < fresh.count,
    hasPassed: seen > left.length,
  };
};

/** Maximum number of items in one lease. */
const LARGEST_LEASE = 100;

/** The items that a claim takes from a queue are one lease, or several if there are many. */
export const lease = (
  tally: ClaimTally,
  queue: Queue,
  lane: Lane,
  items: readonly (FreshItem | DueItem)[],
): void => {
  let run: TakenRun | undefined = tally.leases.findLast((one) => one.queue.id === queue.id);
  for (const item of items) {
    if (!run || run.count === LARGEST_LEASE) run = newRun(tally, queue, lane);
    run.count++;
    run.seqs.push(item.seq);
    run.hasRetries ||= "attempts" in item;
    tally.items.push(claimed(queue, lane, run.id, item));
  }
  tally.count += items.length;
};

/** Counts what would be leased. */
const planLease = (tally: ClaimTally, queue: Queue, lane: Lane, count: number): void => {
  newRun(tally, queue, lane).count = count;
  tally.count += count;
};

const newRun = (tally: ClaimTally, queue: Queue, lane: Lane): TakenRun => {
  const id = tally.firstLease + tally.leases.length;
  const run = { id, queue, lane: lane.name, count: 0, seqs: [], hasRetries: false };
  tally.leases.push(run);
  return run;
};

export const claimed = (queue: Queue, lane: Lane, id: number, item: FreshItem | DueItem): ClaimedItem => ({
  queue: queue.id,
  seq: item.seq,
  lease: id,
  job: queue.jobId,
  revision: queue.revision,
  lane: lane.name,
  key: item.key,
  input: item.input,
  scraper: item.scraper,
  attempt: ("attempts" in item ? item.attempts : 0) + 1,
  throttles: "throttles" in item ? item.throttles : 0,
});

export interface TakenRun {
  readonly id: number;
  readonly queue: Queue;
  readonly lane: string;
  count: number;
  readonly seqs: number[];
  hasRetries: boolean;
}

export const leaseOf = ({ id, queue, seqs, hasRetries }: TakenRun) => ({
  id,
  queue: queue.id,
  job: queue.job,
  client: queue.client,
  open: placesOf(seqs),
  hasRetries,
});
