import { FORGET_CURSOR_MS, KEEP_EVENTS_MS } from "../../ledger/upkeep.ts";
import type { EventLog, EventQuery, LedgerEvent } from "../../ports/event-log.ts";
import { type Connection, count, type Rows } from "./rows.ts";
import type { Value } from "./tables.ts";

/** Events that one transaction looks at, so that none holds a lock for long. */
const PAGE = 500;

/** The log but for what depends on the engine: how events are written, and how it is noticed that they were. */
export const openEventLog = (db: Connection): Omit<EventLog, "await" | "write"> => ({
  read: (query) => db.read(() => readEvents(db, query)),
  move: async (consumer, upTo) => {
    // Consumers say where they are also when nothing has happened: that needs no lock.
    const at = await db.read(() => cursorOf(db, consumer));
    if (at !== undefined && at >= upTo) return;
    await db.write(
      () =>
        db.run(
          `INSERT INTO cursors (consumer, at, moved_at) VALUES (?, ?, ?) ON CONFLICT (consumer)
           DO UPDATE SET at = excluded.at, moved_at = excluded.moved_at WHERE excluded.at > cursors.at`,
          consumer,
          upTo,
          db.now(),
        ),
      false,
    );
  },
  forget: async (consumer) => {
    await db.write(() => db.run("DELETE FROM cursors WHERE consumer = ?", consumer), false);
  },
  last: () => db.read(() => lastEvent(db)),
});

export const lastEvent = (rows: Rows): number => count(rows, "SELECT coalesce(max(id), 0) FROM events");

const cursorOf = (rows: Rows, consumer: string): number | undefined =>
  rows.arrays<[number]>("SELECT at FROM cursors WHERE consumer = ?", consumer)[0]?.[0];

interface EventRow extends Omit<LedgerEvent, "facts"> {
  readonly facts: string;
}

const readEvents = (rows: Rows, { consumer, after = 0, job, types, limit }: EventQuery): LedgerEvent[] => {
  const cursor = consumer === undefined ? undefined : cursorOf(rows, consumer);
  const conditions = ["id > ?"];
  const values: Value[] = [cursor ?? after];
  if (job !== undefined) {
    conditions.push("job = ?");
    values.push(job);
  }
  if (types) {
    conditions.push("type IN (SELECT value FROM json_each(?))");
    values.push(JSON.stringify(types));
  }
  return rows
    .all<EventRow>(
      `SELECT id, at, type, job, facts FROM events WHERE ${conditions.join(" AND ")} ORDER BY id LIMIT ?`,
      ...values,
      limit,
    )
    .map((row) => ({ ...row, facts: JSON.parse(row.facts) as Record<string, unknown> }));
};

/** Forgets some of the old events that no consumer still has to read, and consumers that have not come for the next one. */
export const tidyEvents = (db: Connection): void => {
  db.run(
    `DELETE FROM events WHERE at < ? AND id IN (SELECT id FROM events
       WHERE id <= coalesce((SELECT min(at) FROM cursors), (SELECT max(id) FROM events)) ORDER BY id LIMIT ${PAGE})`,
    db.now() - KEEP_EVENTS_MS,
  );
  db.run(
    "DELETE FROM cursors WHERE moved_at < ?1 AND (SELECT e.at FROM events e WHERE e.id > cursors.at ORDER BY e.id LIMIT 1) < ?1",
    db.now() - FORGET_CURSOR_MS,
  );
};
