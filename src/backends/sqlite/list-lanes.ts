import type { LaneState, LaneView } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { jobRow } from "./job-row.ts";
import { intervalMs, type LaneRow, laneSpeed } from "./lane-row.ts";

export const listLanes = async (db: Database, id: string): Promise<LaneView[]> =>
  await db.read(() =>
    db
      .all<LaneRow>(
        `SELECT l.* FROM queues q JOIN lanes l ON l.id = q.lane WHERE q.job = ?
         ORDER BY l.operator_held = 1 OR l.hold_until > ? DESC, coalesce(l.speed ->> 'factor', 1), l.name LIMIT 200`,
        jobRow(db, id).number,
        db.now(),
      )
      .map((lane) => laneView(db, lane)),
  );

export const readLanes = async (
  db: Database,
  { after = "", limit }: { readonly after?: string; readonly limit: number },
): Promise<LaneState[]> =>
  await db.read(() =>
    db.all<LaneRow>("SELECT * FROM lanes WHERE name > ? ORDER BY name LIMIT ?", after, limit).map((lane) => ({
      ...laneView(db, lane),
      operatorPerSecond: lane.operator_per_second,
      isHeldByOperator: lane.operator_held === 1,
      backlog: db.get<{ n: number }>(
        "SELECT coalesce(sum(open), 0) AS n FROM queues WHERE lane = ? AND open > 0",
        lane.id,
      )!.n,
      inHand: db.get<{ n: number }>("SELECT coalesce(sum(count), 0) AS n FROM hands WHERE lane = ?", lane.id)!
        .n,
    })),
  );

const laneView = (db: Database, lane: LaneRow): LaneView => {
  const now = db.now();
  const interval = intervalMs(db, lane);
  return {
    lane: lane.name,
    perSecond: interval === 0 ? Infinity : 1000 / interval,
    factor: laneSpeed(lane).factor,
    holdMs: Math.max(0, lane.hold_until - now),
    ...holdReason(lane, now),
  };
};

const holdReason = (lane: LaneRow, now: number): { holdReason?: string } => {
  if (lane.operator_held === 1) return { holdReason: "operator" };
  return lane.hold_until > now && lane.hold_reason ? { holdReason: lane.hold_reason } : {};
};
