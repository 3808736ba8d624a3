import type { LedgerEvent } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

interface EventRow {
  readonly id: number;
  readonly at: number;
  readonly type: LedgerEvent["type"];
  readonly job: string;
  readonly facts: string;
}

export const readEvents = (db: Database, limit: number): LedgerEvent[] =>
  db
    .all<EventRow>("SELECT * FROM events ORDER BY id LIMIT ?", limit)
    .map((row) => ({ ...row, facts: JSON.parse(row.facts) as Record<string, unknown> }));

export const ackEvents = async (db: Database, upTo: number): Promise<void> =>
  await db.write(() => void db.run("DELETE FROM events WHERE id <= ?", upTo), false);
