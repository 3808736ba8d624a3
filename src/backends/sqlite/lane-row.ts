import { effectivePerSecond, FULL_SPEED, type LaneSpeed } from "../../model/lane-speed.ts";
import type { SlotBook } from "../../model/slots.ts";
import type { Database } from "./database.ts";

export interface LaneRow {
  readonly id: number;
  readonly name: string;
  readonly tat: number;
  readonly interval_ms: number;
  readonly spare: string;
  readonly ahead: string;
  readonly speed: string | null;
  readonly hold_until: number;
  readonly hold_reason: string | null;
  readonly crawl_delay_ms: number | null;
  readonly crawl_until: number;
  readonly fresh_run: number;
  readonly turn: number;
  readonly operator_per_second: number | null;
  readonly operator_held: number;
}

export const laneId = (db: Database, name: string): number => {
  const row = db.get<{ id: number }>("SELECT id FROM lanes WHERE name = ?", name);
  if (row) return row.id;
  db.run("INSERT INTO lanes (name) VALUES (?)", name);
  return db.get<{ id: number }>("SELECT id FROM lanes WHERE name = ?", name)!.id;
};

export const laneRow = (db: Database, id: number): LaneRow =>
  db.get<LaneRow>("SELECT * FROM lanes WHERE id = ?", id)!;

export const laneSpeed = (lane: LaneRow): LaneSpeed =>
  lane.speed === null ? FULL_SPEED : (JSON.parse(lane.speed) as LaneSpeed);

const timesOf = (text: string): number[] => (text === "[]" ? [] : (JSON.parse(text) as number[]));

export const slotBook = (lane: LaneRow): SlotBook => ({
  tat: lane.tat,
  intervalMs: lane.interval_ms,
  spare: timesOf(lane.spare),
  ahead: timesOf(lane.ahead),
});

export const saveSlotBook = (db: Database, lane: number, book: SlotBook): void => {
  db.run(
    "UPDATE lanes SET tat = ?, interval_ms = ?, spare = ?, ahead = ? WHERE id = ?",
    book.tat,
    book.intervalMs,
    JSON.stringify(book.spare),
    JSON.stringify(book.ahead),
    lane,
  );
};

/** No request starts in the lane before this; Infinity until the operator lets it go. */
export const holdUntil = (lane: LaneRow): number => (lane.operator_held === 1 ? Infinity : lane.hold_until);

/**
 * A lane's rate is the lowest of what the scrapers now going in it, the operator and robots.txt allow, times what was learned. A job's own lower
 * pace is not among them: see `own-pace.ts`. 0 means: no rhythm, requests start at once.
 */
export const intervalMs = (db: Database, lane: LaneRow, unlessGoing: number | null = null): number => {
  const lowest = db.get<{ per_second: number | null; n: number }>(
    "SELECT min(per_second) AS per_second, count(*) AS n FROM queues WHERE lane = ? AND open > 0 AND (claimable = 1 OR probing = 1)",
    lane.id,
  )!;
  const perSecond = Math.min(
    lowest.per_second ?? Infinity,
    lowest.n === 0 ? (unlessGoing ?? Infinity) : Infinity,
    lane.operator_per_second ?? Infinity,
    lane.crawl_delay_ms && lane.crawl_until > db.now() ? 1000 / lane.crawl_delay_ms : Infinity,
  );
  return perSecond === Infinity ? 0 : 1000 / effectivePerSecond(perSecond, laneSpeed(lane).factor);
};
