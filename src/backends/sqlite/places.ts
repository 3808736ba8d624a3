import { effectiveConcurrency } from "../../model/lane-speed.ts";
import { type LaneRow, laneSpeed } from "./lane-row.ts";
import type { QueueRow } from "./queue-row.ts";

/** Items that the queue's job allows in the lane at once, over all workers and jobs. */
export const places = (lane: LaneRow, queue: QueueRow): number =>
  effectiveConcurrency(
    { perSecond: queue.per_second ?? Infinity, concurrency: queue.concurrency },
    laneSpeed(lane).factor,
  );
