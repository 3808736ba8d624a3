import type { ClaimedItem } from "../ports/ledger.ts";
import type { Transaction } from "./transaction.ts";
import type { ClaimTally } from "./claim.ts";
import { answerFresh } from "./fresh-claims.ts";
import { placesOf } from "./places.ts";
import { type DueItem, type Item, type Lane, type Queue, retryOf } from "./records.ts";

/** Law 5: while fresh items are left, one in four is the most that due retries may take. */
const FRESH_PER_RETRY = 3;
/**
 * So many items are looked at, at most, for those that must be fetched, where some may be answered from the archive. What is answered books no
 * slot, so a long run of such items is passed claim after claim, at once.
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
  const fresh = takeFresh(tx, tally, queue, hasFresh ? count - due.items.length : 0);
  const taken = [...due.items, ...fresh.items];
  for (const item of due.items) tx.put("retry", { ...retryOf(item), dueAt: null });
  lease(tally, queue, lane, taken);
  const freshRun = due.items.length > 0 ? 0 : Math.min(run + fresh.items.length, FRESH_PER_RETRY * 8);
  if (freshRun !== run) tx.patch("lane", lane, { freshRun });
  if (fresh.hasPassed) tally.hasPassed = true;
  const now = tx.known("queue", queueId)!; // answering from the archive has changed it
  tx.patch("queue", now, {
    cursor: fresh.cursor,
    hasFresh: fresh.hasMore,
    dueAt: earliest(due.nextAt, now.dueAt === queue.dueAt ? null : now.dueAt),
    leased: now.leased + taken.length,
    waiting: now.waiting - due.items.filter(({ state }) => state === "waiting").length,
    ...(taken.length > 0 && { servedAt: tx.now, ...(queue.isProbing && { isClaimable: false }) }),
  });
  return taken.length;
};

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

const takeDue = (
  tx: Transaction,
  tally: ClaimTally,
  queue: Queue,
  limit: number,
): { readonly items: readonly DueItem[]; readonly nextAt: number | null } => {
  if (limit === 0 || queue.dueAt === null || queue.dueAt > tx.now) return { items: [], nextAt: queue.dueAt };
  const { items, nextAt } = tally.stock.due(queue, limit);
  if (queue.freshness === null || tally.stock.isPlan) return { items, nextAt };
  const { left } = answerFresh(tx, queue, items, limit);
  if (left.length < items.length) tally.hasPassed = true;
  return { items: left, nextAt };
};

interface FreshRun {
  readonly items: readonly Item[];
  readonly cursor: number;
  readonly hasMore: boolean;
  readonly hasPassed?: boolean;
}

/** `cursor`: where it moves, also over what was answered from the archive or set aside (`hasPassed`). */
const takeFresh = (tx: Transaction, { stock }: ClaimTally, queue: Queue, count: number): FreshRun => {
  if (count === 0) return { items: [], cursor: queue.cursor, hasMore: queue.hasFresh };
  const most = queue.freshness === null ? count : Math.max(count, LOOK_AHEAD);
  const { items, hasMore } = stock.fresh(queue, most);
  if (queue.freshness === null || stock.isPlan)
    return { items: items.slice(0, count), cursor: items.at(-1)?.seq ?? queue.cursor, hasMore };
  const { left, seen } = answerFresh(tx, queue, items, count);
  const cursor = items[seen - 1]?.seq ?? queue.cursor;
  return {
    items: left,
    cursor,
    hasMore: hasMore || seen < items.length,
    hasPassed: seen > left.length,
  };
};

/** Items in one lease. */
const LARGEST_LEASE = 100;

/** What a claim takes from a queue is one lease, or several where it is much. */
export const lease = (
  tally: ClaimTally,
  queue: Queue,
  lane: Lane,
  items: readonly (Item | DueItem)[],
): void => {
  for (const item of items) {
    let run = tally.leases.findLast((one) => one.queue.id === queue.id);
    if (!run || run.seqs.length === LARGEST_LEASE) {
      run = {
        id: tally.firstLease + tally.leases.length,
        queue,
        lane: lane.name,
        seqs: [],
        hasRetries: false,
      };
      tally.leases.push(run);
    }
    run.seqs.push(item.seq);
    run.hasRetries ||= "attempts" in item;
    tally.items.push(claimed(queue, lane, run.id, item));
  }
};

export const claimed = (queue: Queue, lane: Lane, id: number, item: Item | DueItem): ClaimedItem => ({
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
