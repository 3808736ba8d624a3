import { readFileSync } from "node:fs";
import type { Database } from "./database.ts";

/** A clock that no one sets: it counts the same in all processes of a machine, from its start on. */
export interface SteadyClock {
  readonly nowMs: () => number;
  /** Names this start of the machine. */
  readonly boot: string;
}

export const steadyClock = (): SteadyClock => ({
  nowMs: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  boot: bootId(),
});

const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return ""; // not Linux: only a clock that is behind what was written before is noticed
  }
};

/** Less is no matter: nothing is kept waiting noticeably longer by it. */
const SMALLEST_MS = 2000;
/** How often the time is written down. */
const NOTE_MS = 1000;

interface Noted {
  readonly latest_at: number;
  readonly boot: string;
  readonly ahead_ms: number;
}

/**
 * Inside a claim. Somebody may set the machine's clock, and a machine may sleep. Times that were ahead are durations: they move with the clock, so
 * that nothing waits longer for it, no hold ends sooner, and no living worker is given up.
 */
export const noticeClockStep = (db: Database): void => {
  // Read together: a process that was kept waiting between the two would take that for a step.
  const now = db.clock();
  const { nowMs, boot } = db.steady;
  const aheadMs = now - nowMs();
  const noted = db.get<Noted>("SELECT latest_at, boot, ahead_ms FROM service WHERE id = 1")!;
  const isSameStart = boot !== "" && boot === noted.boot;
  const byMs = isSameStart ? aheadMs - noted.ahead_ms : Math.min(0, now - noted.latest_at);
  const isStep = Math.abs(byMs) >= SMALLEST_MS;
  if (!isStep && boot === noted.boot && now - noted.latest_at < NOTE_MS) return;
  db.run("UPDATE service SET latest_at = ?, boot = ?, ahead_ms = ? WHERE id = 1", now, boot, aheadMs);
  if (isStep) moveTimes(db, byMs, now);
};

const MOVED: readonly (readonly [table: string, column: string])[] = [
  ["turns", "ready_at"],
  ["workers", "until"],
  ["lanes", "hold_until"],
  ["lanes", "crawl_until"],
  ["queues", "probe_at"],
  ["queues", "ready_at"],
  ["queues", "own_next"],
  ["suspects", "due_at"],
  ["items", "due_at"],
  ["robots", "until"],
  ["robots", "fetch_until"],
  ["sweeps", "due_at"],
  ["duties", "held_until"],
  ["deliveries", "due_at"],
  ["deliveries", "taken_until"],
];

/** The next slot is counted from these, also from one that is over. */
const SLOT_BOOKS = ["lanes", "own_slots"];

/** What was ahead stays as far ahead; what was over is over, also by a clock that was set back. */
const moveTimes = (db: Database, byMs: number, now: number): void => {
  const move = (table: string, column: string): void => {
    db.run(
      `UPDATE ${table} SET ${column} = CASE WHEN ${column} > ?1 - ?2 THEN ${column} + ?2 ELSE ?1 END WHERE ${column} > min(?1, ?1 - ?2)`,
      now,
      byMs,
    );
  };
  for (const table of SLOT_BOOKS) db.run(`UPDATE ${table} SET tat = tat + ? WHERE tat > 0`, byMs);
  // Slots that were given back are not worth a longer look.
  db.run("UPDATE lanes SET spare = '[]', ahead = '[]' WHERE spare <> '[]' OR ahead <> '[]'");
  for (const [table, column] of MOVED)
    if (db.get("SELECT 1 FROM sqlite_schema WHERE name = ?", table)) move(table, column);
};
