import { effectiveConcurrency } from "../../model/lane-speed.ts";
import { type LaneRow, laneSpeed } from "./lane-row.ts";
import type { QueueRow } from "./queue-row.ts";

/** While a site may be breaking, so many items at once: what is in flight when the breaker trips was spent for nothing. */
const IN_DOUBT = 2;

/** Items that the queue's job allows in the lane at once, over all workers and jobs. */
export const places = (lane: LaneRow, queue: QueueRow): number => {
  const pace = { perSecond: queue.per_second ?? Infinity, concurrency: queue.concurrency };
  const most = effectiveConcurrency(pace, laneSpeed(lane).factor);
  return queue.doubtful === 1 ? Math.min(most, IN_DOUBT) : most;
};
