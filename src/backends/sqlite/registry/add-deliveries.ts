import type { NewDelivery } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

/** A write of so many rows holds the lock for a few ms. */
const BATCH = 200;
const KEEP_ENDED_MS = 30 * 24 * 60 * 60 * 1000;

export const addDeliveries = async (db: Database, deliveries: readonly NewDelivery[]): Promise<void> => {
  for (let at = 0; at < deliveries.length; at += BATCH)
    await db.write(() => {
      for (const delivery of deliveries.slice(at, at + BATCH)) insert(db, delivery);
      forget(db);
    });
};

const insert = (db: Database, delivery: NewDelivery): void => {
  const now = db.now();
  db.run(
    `INSERT INTO deliveries (id, event, client, job, endpoint, line, url, type, body, created_at, due_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    delivery.id,
    delivery.event,
    delivery.client,
    delivery.job ?? null,
    delivery.endpoint,
    `${delivery.client}\n${delivery.url}`,
    delivery.url,
    delivery.type,
    delivery.body,
    now,
    now,
  );
};

const forget = (db: Database): void => {
  db.run(
    `DELETE FROM deliveries WHERE seq IN
       (SELECT seq FROM deliveries WHERE ended_at IS NOT NULL AND ended_at <= ? ORDER BY ended_at LIMIT ${BATCH})`,
    db.now() - KEEP_ENDED_MS,
  );
};
