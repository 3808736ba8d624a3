import type { DeliveryEnd } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

export const endDelivery = async (db: Database, id: string, end: DeliveryEnd): Promise<void> =>
  await db.write(() => {
    const now = db.now();
    db.run(
      `UPDATE deliveries SET state = ?, attempts = attempts + 1, due_at = ?, taken_until = NULL, ended_at = ?,
         last_status = ?, last_error = ?
       WHERE id = ? AND (state = 'due' OR (state = 'parked' AND ?1 = 'delivered'))`,
      end.state,
      end.state === "due" ? now + end.delayMs : now,
      end.state === "due" ? null : now,
      end.status ?? null,
      end.state === "delivered" ? null : end.error,
      id,
    );
  });

export const replayDelivery = async (db: Database, id: string): Promise<boolean> =>
  await db.write(
    () =>
      db.run(
        "UPDATE deliveries SET state = 'due', due_at = ?, taken_until = NULL, ended_at = NULL WHERE id = ? AND state <> 'due'",
        db.now(),
        id,
      ) > 0,
  );
