import type { LedgerEvent } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

/** Inside the transaction that changes what the event tells of: the outbox never tells what did not happen. */
export const writeEvent = (
  db: Database,
  type: LedgerEvent["type"],
  job: string,
  facts: Readonly<Record<string, unknown>> = {},
): void => {
  db.run(
    "INSERT INTO events (at, type, job, facts) VALUES (?, ?, ?, ?)",
    db.now(),
    type,
    job,
    JSON.stringify(facts),
  );
};
