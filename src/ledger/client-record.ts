import type { Cost } from "../domain/cost.ts";

/** A client in a lane. */
export interface Share {
  readonly lane: number;
  readonly client: string;
  /** Items it has received, divided by its weight; null before the first. */
  readonly had: number | null;
  /**
   * The earliest time at which a claim may find an item of this client in the lane; null if there is none. It may be too early,
   * but never too late.
   */
  readonly readyAt: number | null;
  /** Only in lane 0: items accepted, by UTC day (days since 1970). */
  readonly accepted: Readonly<Record<string, number>>;
  /** Only in lane 0: what was spent, by UTC day. */
  readonly spent: Readonly<Record<string, Cost>>;
}

export interface Client {
  readonly name: string;
  readonly weight: number;
  readonly maxRunning: number | null;
  readonly itemsPerDay: number | null;
  readonly requestsPerDay: number | null;
  readonly bytesPerDay: number | null;
  /** In the configured currency. */
  readonly costPerDay: number | null;
}
