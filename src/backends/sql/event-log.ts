import { FORGET_CURSOR_MS, KEEP_EVENTS_MS } from "../../ledger/upkeep.ts";
import type { EventLog, EventQuery, LedgerEvent } from "../../ports/event-log.ts";
import { all, arrays, count, run, type StepEngine, type Steps } from "./steps.ts";
import type { Value } from "./tables.ts";

/** Maximum number of events that one transaction reads, so that none holds a lock for long. */
const PAGE = 500;

/** The log, except what depends on the engine: how events are written, and how new ones are noticed. */
export const openEventLog = (db: StepEngine): Omit<EventLog, "await" | "write"> => ({
  read: (query) => db.read(() => readEvents(query)),
  move: async (consumer, upTo) => {
    // Consumers report their position even if nothing has happened: that needs no lock.
    const at = await db.read(() => cursorOf(consumer));
    if (at !== undefined && at >= upTo) return;
    await db.write(
      "events",
      (now) =>
        run(
          `INSERT INTO cursors (consumer, at, moved_at) VALUES (?, ?, ?) ON CONFLICT (consumer)
           DO UPDATE SET at = excluded.at, moved_at = excluded.moved_at WHERE excluded.at > cursors.at`,
          consumer,
          upTo,
          now,
        ),
      false,
    );
  },
  forget: async (consumer) => {
    await db.write("events", () => run("DELETE FROM cursors WHERE consumer = ?", consumer), false);
  },
  last: () => db.read(lastEvent),
});

export const lastEvent = (): Steps<number> => count("SELECT coalesce(max(id), 0) FROM events");

function* cursorOf(consumer: string): Steps<number | undefined> {
  return (yield* arrays<[number]>("SELECT at FROM cursors WHERE consumer = ?", consumer))[0]?.[0];
}

interface EventRow extends Omit<LedgerEvent, "facts"> {
  readonly facts: string;
}

function* readEvents({
  consumer,
  after = 0,
  job,
  types,
  limit,
  newest = false,
}: EventQuery): Steps<LedgerEvent[]> {
  const cursor = consumer === undefined ? undefined : yield* cursorOf(consumer);
  const conditions = ["id > ?"];
  const values: Value[] = [cursor ?? after];
  if (job !== undefined) {
    conditions.push("job = ?");
    values.push(job);
  }
  if (types) {
    conditions.push("type IN (SELECT value FROM @list(? text) l)");
    values.push(JSON.stringify(types));
  }
  const rows = yield* all<EventRow>(
    `SELECT id, at, type, job, facts FROM events WHERE ${conditions.join(" AND ")} ORDER BY id${newest ? " DESC" : ""} LIMIT ?`,
    ...values,
    limit,
  );
  return (newest ? rows.toReversed() : rows).map((row) => ({
    ...row,
    facts: JSON.parse(row.facts) as Record<string, unknown>,
  }));
}

/** Deletes some of the old events that no consumer still has to read, and consumers that have not read the next one for too long. */
export function* tidyEvents(now: number): Steps<void> {
  yield* run(
    `DELETE FROM events WHERE at < ? AND id IN (SELECT id FROM events
       WHERE id <= coalesce((SELECT min(at) FROM cursors), (SELECT max(id) FROM events)) ORDER BY id LIMIT ${PAGE})`,
    now - KEEP_EVENTS_MS,
  );
  yield* run(
    "DELETE FROM cursors WHERE moved_at < ?1 AND (SELECT e.at FROM events e WHERE e.id > cursors.at ORDER BY e.id LIMIT 1) < ?1",
    now - FORGET_CURSOR_MS,
  );
}
