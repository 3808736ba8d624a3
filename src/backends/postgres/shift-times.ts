import { FORMATS, type Value } from "../sql/tables.ts";
import type { PgConnection } from "./connection.ts";
import { insertRows } from "./statements.ts";

/** Times that may be in the future. */
const TIMES: readonly (readonly [table: string, ...columns: string[]])[] = [
  ["shares", "ready_at"],
  ["workers", "until"],
  ["lanes", "hold_until", "crawl_until"],
  ["queues", "due_at", "probe_at", "own_next_at"],
  ["robots", "until", "fetch_until"],
  ["sweeps", "due_at"],
  ["duties", "held_until"],
  ["deliveries", "due_at", "taken_until"],
];

/** $1 is the current time, $2 how far the clock went back. Future times stay as far in the future; past times stay in the past. */
const shifted = (time: string): string =>
  `CASE WHEN ${time} > $1 + $2 THEN ${time} - $2 WHEN ${time} > $1 THEN $1 ELSE ${time} END`;

/** Rows of `retries` have checksums, which are computed here. */
const RETRIES_AT_ONCE = 5_000;

/**
 * After the database's clock was set back, or another machine with a slower clock has become the primary: times in the future are
 * treated as durations.
 */
export const shiftTimes = async (connection: PgConnection, now: number, backMs: number): Promise<void> => {
  // Returned slots are not worth more effort; the next slot is counted from the last one, even if that is in the past.
  await connection.query(
    "UPDATE lanes SET spare = NULL, ahead = NULL, tat = CASE WHEN tat > 0 THEN tat - $1::double precision ELSE tat END",
    [backMs],
  );
  await connection.query(
    `UPDATE queues SET own_slots = (SELECT json_object_agg(s.key, s.value::double precision - $1::double precision) FROM json_each_text(own_slots) s)
     WHERE own_slots IS NOT NULL`,
    [backMs],
  );
  const { rows } = await connection.query("SELECT id, tiers FROM lanes WHERE tiers IS NOT NULL", []);
  for (const [id, tiers] of rows as [number, string][])
    await connection.query("UPDATE lanes SET tiers = $1::json WHERE id = $2", [
      shiftUntil(tiers, backMs),
      id,
    ]);
  for (const [table, ...columns] of TIMES)
    for (const column of columns)
      await connection.query(
        `UPDATE ${table} SET ${column} = ${shifted(column)} WHERE ${column} > $1::double precision AND $2::double precision > 0`,
        [now, backMs],
      );
  for (let after: readonly [number, number] = [-1, -1]; ;) {
    const found = await connection.query(
      `SELECT ${FORMATS.retry.columnsOf("t")} FROM retries t WHERE t.due_at > $1 AND (t.queue, t.seq) > ($2, $3) ORDER BY t.queue, t.seq LIMIT ${RETRIES_AT_ONCE}`,
      [now, ...after],
    );
    const retries = found.rows.map((row) => FORMATS.retry.read(row as Value[]));
    const last = retries.at(-1);
    if (!last) return;
    const moved = retries.map((retry) => ({ ...retry, dueAt: Math.max(now, retry.dueAt! - backMs) }));
    const { text, values } = insertRows("retry", moved, "update");
    await connection.query(text, values);
    after = [last.queue, last.seq];
  }
};

/** For proxy tiers: when an outage or a probe is over. */
const shiftUntil = (json: string, backMs: number): string =>
  JSON.stringify(
    JSON.parse(json, (name, value: unknown) =>
      name === "until" && typeof value === "number" && value > 0 ? value - backMs : value,
    ),
  );
