import type { TierCost } from "./item.ts";

/** What requests have cost. */
export interface Cost {
  readonly requests: number;
  readonly bytes: number;
  /** In millionths of the configured currency. */
  readonly microCost: number;
}

export const NO_COST: Cost = { requests: 0, bytes: 0, microCost: 0 };

/** Stands among the tiers for requests to the blob store, where those are paid for. */
export const STORAGE = "storage";

/** By the name of a proxy tier, without direct requests. */
export type TierCosts = Readonly<Record<string, Cost>>;

export const addCosts = (a: Cost, b: Cost): Cost => ({
  requests: a.requests + b.requests,
  bytes: a.bytes + b.bytes,
  microCost: a.microCost + b.microCost,
});

export const addTierCosts = (costs: TierCosts, more: readonly TierCost[] | undefined): TierCosts => {
  if (!more || more.length === 0) return costs;
  // A tier may be called `constructor`.
  const sums = new Map(Object.entries(costs));
  for (const { tier, ...cost } of more) sums.set(tier, addCosts(sums.get(tier) ?? NO_COST, cost));
  return Object.fromEntries(sums);
};

/** Only what went through proxies. */
export const withoutStorage = (costs: readonly TierCost[]): TierCost[] =>
  costs.filter(({ tier }) => tier !== STORAGE);

export const totalCost = (costs: Iterable<Cost>): Cost => {
  let total = NO_COST;
  for (const cost of costs) total = addCosts(total, cost);
  return total;
};

/** As a list, in the order in which the tiers were first used. */
export const tierCostList = (costs: TierCosts): TierCost[] =>
  Object.entries(costs).map(([tier, cost]) => ({ tier, ...cost }));

/** Cost of an attempt: all of its requests and bytes, and the price of its tiers. */
export const costOfAttempt = (attempt: {
  readonly requests: number;
  readonly bytes: number;
  readonly proxied?: readonly TierCost[] | undefined;
}): Cost => ({
  requests: attempt.requests,
  bytes: attempt.bytes,
  microCost: (attempt.proxied ?? []).reduce((sum, { microCost }) => sum + microCost, 0),
});

/** Of a job, in all. */
export const costOfJob = ({
  requests,
  bytes,
  costs = {},
}: Pick<Cost, "requests" | "bytes"> & { readonly costs?: TierCosts | undefined }): Cost => ({
  requests,
  bytes,
  microCost: totalCost(Object.values(costs)).microCost,
});

const MICRO = 1_000_000;

/** Millionths as the currency's own units, and back. */
export const fromMicro = (microCost: number): number => microCost / MICRO;
export const toMicro = (cost: number): number => Math.round(cost * MICRO);
