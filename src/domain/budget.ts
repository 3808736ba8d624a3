import { type Cost, toMicro } from "./cost.ts";

/** What may be spent in all. */
export interface SpendingLimits {
  readonly requests?: number;
  readonly bytes?: number;
  /** The price of proxies, in the configured currency. */
  readonly cost?: number;
}

export interface Budget extends SpendingLimits {
  /** When it is spent, what is left fails with `budget` (default), or the job is paused until somebody raises the budget. */
  readonly onSpent?: "fail" | "pause";
}

/** Which limit is reached, as people read it; undefined while none is. */
export const reachedLimit = ({ requests, bytes, cost }: SpendingLimits, spent: Cost): string | undefined => {
  if (requests !== undefined && spent.requests >= requests) return `${requests} requests`;
  if (bytes !== undefined && spent.bytes >= bytes) return `${bytes} bytes`;
  return cost !== undefined && spent.microCost >= toMicro(cost) ? `${cost} for proxies` : undefined;
};
