import type { OptionNames } from "./known-options.ts";

/** How fast a lane may be used. `perSecond` may be Infinity: then no slots are booked, only `concurrency` holds. */
export interface Pace {
  /** Requests a second, hops and redirects included; 2 by default. */
  readonly perSecond: number;
  /** Request starts allowed at once on top of the even rhythm; 1 by default, above 20 a second what 50 ms hold. */
  readonly burst: number;
  /** Items of the lane that may run at the same time, over all workers; 4 by default. */
  readonly concurrency: number;
}

export const PACE_OPTIONS: OptionNames<Pace> = { perSecond: true, burst: true, concurrency: true };
