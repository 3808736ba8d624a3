import type { LedgerEvent } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

interface EventRow {
  readonly id: number;
  readonly at: number;
  readonly type: LedgerEvent["type"];
  readonly job: string;
  readonly facts: string;
}

export const readEvents = async (db: Database, limit: number, job?: string): Promise<LedgerEvent[]> =>
  await db.read(() =>
    db
      .all<EventRow>(
        "SELECT * FROM events WHERE ?1 IS NULL OR job = ?1 ORDER BY id LIMIT ?2",
        job ?? null,
        limit,
      )
      .map((row) => ({ ...row, facts: JSON.parse(row.facts) as Record<string, unknown> })),
  );

export const ackEvents = async (db: Database, upTo: number, job?: string): Promise<void> =>
  await db.write(
    () => void db.run("DELETE FROM events WHERE id <= ?1 AND (?2 IS NULL OR job = ?2)", upTo, job ?? null),
    false,
  );
