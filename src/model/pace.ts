/** How fast a lane may be used. `perSecond` may be Infinity: then no slots are booked, only `concurrency` holds. */
export interface Pace {
  readonly perSecond: number;
  /** Request starts allowed at once on top of the even rhythm. */
  readonly burst: number;
  /** Items of the lane that may run at the same time, over all workers. */
  readonly concurrency: number;
}
