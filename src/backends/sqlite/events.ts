import type { LedgerEvent } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { writeEvent } from "./write-event.ts";

interface EventRow {
  readonly id: number;
  readonly at: number;
  readonly type: LedgerEvent["type"];
  readonly job: string;
  readonly facts: string;
}

export const writeEvents = async (
  db: Database,
  events: readonly Pick<LedgerEvent, "type" | "job" | "facts">[],
): Promise<void> =>
  await db.write(() => {
    for (const { type, job, facts } of events) writeEvent(db, type, job, facts);
  });

export const readEvents = async (db: Database, limit: number, job?: string): Promise<LedgerEvent[]> =>
  await db.read(() =>
    (job === undefined
      ? db.all<EventRow>("SELECT * FROM events ORDER BY id LIMIT ?", limit)
      : db.all<EventRow>("SELECT * FROM events WHERE job = ? ORDER BY id LIMIT ?", job, limit)
    ).map((row) => ({ ...row, facts: JSON.parse(row.facts) as Record<string, unknown> })),
  );

export const ackEvents = async (db: Database, upTo: number, job?: string): Promise<void> =>
  await db.write(
    () => void db.run("DELETE FROM events WHERE id <= ?1 AND (?2 IS NULL OR job = ?2)", upTo, job ?? null),
    false,
  );
