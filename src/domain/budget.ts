import { type Cost, toMicro } from "./cost.ts";

/** What may be spent in total. */
export interface SpendingLimits {
  readonly requests?: number;
  readonly bytes?: number;
  /** The price of proxies, in the configured currency. */
  readonly cost?: number;
}

export interface Budget extends SpendingLimits {
  /** When it is used up, the remaining items fail with `budget` (default), or the job is paused until someone raises the budget. */
  readonly onSpent?: "fail" | "pause";
}

/** The limit that is reached, for people; undefined while none is. */
export const reachedLimit = ({ requests, bytes, cost }: SpendingLimits, spent: Cost): string | undefined => {
  if (requests !== undefined && spent.requests >= requests) return `${requests} requests`;
  if (bytes !== undefined && spent.bytes >= bytes) return `${bytes} bytes`;
  return cost !== undefined && spent.microCost >= toMicro(cost) ? `${cost} for proxies` : undefined;
};
