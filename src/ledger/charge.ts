import { addCosts, addTierCosts, type Cost, costOfAttempt, NO_COST, withoutStorage } from "../domain/cost.ts";
import type { TierCost } from "../domain/item.ts";
import type { Job, Queue } from "./records.ts";
import { ALL_WORKERS, newShare } from "./shares.ts";
import { type Transaction, type Want, want } from "./transaction.ts";
import { ACCEPTED_DAYS } from "./upkeep.ts";

const DAY_MS = 86_400_000;
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** What was spent on items of one queue. */
export interface Spending {
  readonly requests: number;
  readonly bytes: number;
  readonly proxied: readonly TierCost[];
}

/** What `charge` needs. `isProxied`: some of it went through proxies. */
export const chargeWants = (queue: number, isProxied: boolean): Want[] => [
  want("clientShareOfQueue", queue),
  ...(isProxied ? [want("laneOfQueue", queue)] : []),
];

/** Adds the cost to the client's day, the lane and the installation; the caller updates the job's own counters. */
export const charge = (tx: Transaction, queue: Queue, spent: Spending): void => {
  const cost = costOfAttempt(spent);
  if (cost.requests > 0 || cost.bytes > 0 || cost.microCost > 0) chargeClient(tx, queue.client, cost);
  const proxied = withoutStorage(spent.proxied);
  if (proxied.length === 0) return;
  const lane = tx.known("lane", queue.lane)!;
  tx.patch("lane", lane, { spent: addTierCosts(lane.spent, proxied) });
  for (const { tier, requests, bytes, microCost } of proxied) {
    tx.count(`proxy requests of ${tier}`, requests);
    tx.count(`proxy bytes of ${tier}`, bytes);
    tx.count(`proxy micro-cost of ${tier}`, microCost);
  }
};

const chargeClient = (tx: Transaction, client: string, cost: Cost): void => {
  const share = tx.known("share", ALL_WORKERS, client) ?? newShare(ALL_WORKERS, client);
  const today = dayOf(tx.now);
  const kept = Object.entries(share.spent).filter(([day]) => Number(day) > today - ACCEPTED_DAYS);
  const spent = { ...Object.fromEntries(kept), [today]: addCosts(share.spent[today] ?? NO_COST, cost) };
  tx.put("share", { ...share, spent });
};

/** The job also pays for items that were not settled. */
export const addSpending = (
  job: Job,
  { requests, bytes, proxied }: Spending,
): Pick<Job, "requests" | "bytes" | "costs"> => ({
  requests: job.requests + requests,
  bytes: job.bytes + bytes,
  costs: addTierCosts(job.costs, proxied),
});
