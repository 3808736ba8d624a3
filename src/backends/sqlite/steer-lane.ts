import type { LaneSteering } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { holdUntil, laneId, type LaneRow, laneRow } from "./lane-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { writeEvent } from "./write-event.ts";

export const steerLane = async (db: Database, name: string, to: LaneSteering): Promise<void> =>
  await db.write(() => {
    const lane = laneRow(db, laneId(db, name));
    if (to.perSecond !== undefined)
      db.run("UPDATE lanes SET operator_per_second = ? WHERE id = ?", to.perSecond, lane.id);
    if (to.isReset) forgetLearned(db, lane);
    const isHeld = to.isHeld ?? (to.isReset ? false : undefined);
    if (isHeld === true && lane.operator_held === 0) {
      db.run("UPDATE lanes SET operator_held = 1 WHERE id = ?", lane.id);
      tellJobs(db, lane.id, name, true);
    }
    if (isHeld === false && holdUntil(lane) > db.now()) {
      db.run("UPDATE lanes SET operator_held = 0, hold_until = 0, hold_reason = NULL WHERE id = ?", lane.id);
      tellJobs(db, lane.id, name, false);
    }
    refreshLane(db, lane.id);
  });

/** The next slot is an interval from now: those that are out are not doubled, as far as they lie within a second. */
const forgetLearned = (db: Database, { id }: LaneRow): void => {
  db.run(
    `UPDATE lanes SET speed = NULL, crawl_delay_ms = NULL, crawl_until = 0, tat = ?, interval_ms = 0, spare = '[]', ahead = '[]'
     WHERE id = ?`,
    db.now(),
    id,
  );
  db.run("DELETE FROM own_slots WHERE lane = ?", id);
  db.run("UPDATE queues SET own_next = 0 WHERE lane = ? AND own_next > 0", id);
};

/** Everyone with items there hears of it. */
const tellJobs = (db: Database, lane: number, name: string, isHeld: boolean): void => {
  const jobs = db.all<{ id: string }>(
    "SELECT j.id FROM queues q JOIN jobs j ON j.number = q.job WHERE q.lane = ? AND q.open > 0 ORDER BY j.number",
    lane,
  );
  const facts = { lane: name, by: "operator" };
  for (const { id } of jobs) writeEvent(db, isHeld ? "lane.held" : "lane.released", id, facts);
};
