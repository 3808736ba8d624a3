import { readFileSync } from "node:fs";
import { CLOCK_STEP_MS } from "../../ledger/upkeep.ts";
import { FORMATS } from "../sql/tables.ts";
import type { Database } from "./database.ts";

/** A clock that nobody sets: it is the same in all processes of a machine, since the machine started. */
export interface SteadyClock {
  readonly nowMs: () => number;
  /** Identifies this start of the machine. */
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
    return ""; // not Linux: only a clock that is behind an earlier recorded time is noticed
  }
};

/** How often the time is recorded. */
const NOTE_MS = 1000;

interface Noted {
  readonly latest_at: number;
  readonly boot: string;
  readonly ahead_ms: number;
}

/**
 * Called in every transaction. Someone may set the machine's clock, and a machine may be suspended. Times in the future are
 * durations: they move with the clock, so that nothing waits longer because of it, no hold ends earlier, and no live worker is
 * given up. The last known state is cached, so that the ledger is read only from time to time.
 */
export const watchClock = (db: Database): (() => void) => {
  let notedAt = -Infinity;
  let notedAheadMs = 0;
  return () => {
    const now = db.now();
    const { nowMs, boot } = db.steady;
    // Read together: a process that had to wait between the two would see a step.
    const aheadMs = db.clock() - nowMs();
    const isSteady = boot === "" ? now >= notedAt : Math.abs(aheadMs - notedAheadMs) < CLOCK_STEP_MS;
    if (isSteady && now - notedAt < NOTE_MS) return;
    [notedAt, notedAheadMs] = [now, aheadMs];
    if (db.run(NOTE, now, boot, aheadMs, CLOCK_STEP_MS) === 1) return;
    const noted = db.get<Noted>("SELECT latest_at, boot, ahead_ms FROM service WHERE id = 1")!;
    const isSameStart = boot !== "" && boot === noted.boot;
    const byMs = isSameStart ? aheadMs - noted.ahead_ms : Math.min(0, now - noted.latest_at);
    db.run("UPDATE service SET latest_at = ?, boot = ?, ahead_ms = ? WHERE id = 1", now, boot, aheadMs);
    if (Math.abs(byMs) >= CLOCK_STEP_MS) shiftTimes(db, byMs, now);
  };
};

/** If the clock has not been set. */
const NOTE = `UPDATE service SET latest_at = ?1, boot = ?2, ahead_ms = ?3 WHERE id = 1 AND boot = ?2
  AND CASE ?2 WHEN '' THEN ?1 > latest_at - ?4 ELSE abs(?3 - ahead_ms) < ?4 END`;

const TIMES: readonly (readonly [table: string, ...columns: string[]])[] = [
  ["shares", "ready_at"],
  ["workers", "until"],
  ["lanes", "hold_until", "crawl_until"],
  ["queues", "due_at", "probe_at", "own_next_at"],
  ["retries", "due_at"],
  ["robots", "until", "fetch_until"],
  ["sweeps", "due_at"],
  ["duties", "held_until"],
  ["deliveries", "due_at", "taken_until"],
];

/** Future times stay as far in the future; past times stay in the past, even if the clock was set back. */
const shiftTimes = (db: Database, byMs: number, now: number): void => {
  const shifted = (time: string): string =>
    `CASE WHEN ${time} > ?1 - ?2 THEN ${time} + ?2 WHEN ${time} > min(?1, ?1 - ?2) THEN ?1 ELSE ${time} END`;
  // Returned slots are not worth more effort.
  db.run("UPDATE lanes SET spare = NULL, ahead = NULL WHERE spare IS NOT NULL OR ahead IS NOT NULL");
  // The next slot is counted from the last one, even if that is in the past.
  db.run("UPDATE lanes SET tat = tat + ? WHERE tat > 0", byMs);
  db.run(
    `UPDATE queues SET own_slots = (SELECT json_group_object(s.key, s.value + ?) FROM json_each(own_slots) s)
     WHERE own_slots IS NOT NULL`,
    byMs,
  );
  for (const [id, tiers] of db.arrays<[number, string]>(
    "SELECT id, tiers FROM lanes WHERE tiers IS NOT NULL",
  ))
    db.run("UPDATE lanes SET tiers = ? WHERE id = ?", shiftUntil(tiers, byMs), id);
  for (const [table, ...columns] of TIMES)
    for (const column of columns)
      if (db.get("SELECT 1 FROM sqlite_schema WHERE name = ?", table))
        db.run(
          `UPDATE ${table} SET ${column} = ${shifted(column)}${table === "retries" ? sumAgain(shifted) : ""}
           WHERE ${column} > min(?1, ?1 - ?2)`,
          now,
          byMs,
        );
};

/** For proxy tiers: when an outage or a probe is over. */
const shiftUntil = (json: string, byMs: number): string =>
  JSON.stringify(
    JSON.parse(json, (name, value: unknown) =>
      name === "until" && typeof value === "number" && value > 0 ? value + byMs : value,
    ),
  );

/** A row that did not match its checksum does not match it afterwards. */
const sumAgain = (shifted: (time: string) => string): string => {
  const columns = FORMATS.retry.written.filter((column) => column !== "sum");
  const next = columns.map((column) => (column === "due_at" ? shifted(column) : column));
  return `, sum = iif(sum = row_sum(${columns.join(", ")}), row_sum(${next.join(", ")}), sum)`;
};
