import type { Database } from "./database.ts";
import { laneId, laneRow } from "./lane-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { writeEvent } from "./write-event.ts";

export const steerLane = async (
  db: Database,
  name: string,
  to: { readonly perSecond?: number | null; readonly isHeld?: boolean },
): Promise<void> =>
  await db.write(() => {
    const lane = laneRow(db, laneId(db, name));
    if (to.perSecond !== undefined)
      db.run("UPDATE lanes SET operator_per_second = ? WHERE id = ?", to.perSecond, lane.id);
    if (to.isHeld !== undefined && to.isHeld !== (lane.operator_held === 1)) {
      db.run("UPDATE lanes SET operator_held = ? WHERE id = ?", to.isHeld ? 1 : 0, lane.id);
      tellJobs(db, lane.id, name, to.isHeld);
    }
    refreshLane(db, lane.id);
  });

/** Everyone with items there hears of it. */
const tellJobs = (db: Database, lane: number, name: string, isHeld: boolean): void => {
  const jobs = db.all<{ id: string }>(
    "SELECT j.id FROM queues q JOIN jobs j ON j.number = q.job WHERE q.lane = ? AND q.open > 0 ORDER BY j.number",
    lane,
  );
  const facts = { lane: name, by: "operator" };
  for (const { id } of jobs) writeEvent(db, isHeld ? "lane.held" : "lane.released", id, facts);
};
