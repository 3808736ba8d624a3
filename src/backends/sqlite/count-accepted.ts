import type { Database } from "./database.ts";

const MINUTE_MS = 60_000;
/** Longer than any quota looks back. */
const KEPT_MS = 40 * 24 * 60 * MINUTE_MS;

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS);

/** By the minute, so that it need not be counted from the items. */
export const countForQuota = (db: Database, job: number, accepted: number): void => {
  if (accepted === 0) return;
  db.run(
    `INSERT INTO accepted (client, minute, count) SELECT client, ?, ? FROM jobs WHERE number = ?
     ON CONFLICT (client, minute) DO UPDATE SET count = count + excluded.count`,
    minuteOf(db.now()),
    accepted,
    job,
  );
};

export const countAccepted = async (db: Database, client: string, sinceAt: number): Promise<number> =>
  await db.read(() => acceptedSince(db, client, sinceAt));

const DAY_MS = 24 * 60 * MINUTE_MS;

/** Items that a client's jobs may yet accept today (UTC); Infinity without a quota. */
export const quotaRoom = (db: Database, client: string): number => {
  const row = db.get<{ items_per_day: number | null }>(
    "SELECT items_per_day FROM clients WHERE name = ?",
    client,
  );
  if (row?.items_per_day == null) return Infinity;
  return Math.max(0, row.items_per_day - acceptedSince(db, client, db.now() - (db.now() % DAY_MS)));
};

const acceptedSince = (db: Database, client: string, sinceAt: number): number =>
  db.get<{ n: number }>(
    "SELECT coalesce(sum(count), 0) AS n FROM accepted WHERE client = ? AND minute >= ?",
    client,
    minuteOf(sinceAt),
  )!.n;

/** Client by client, so that only what is old is looked at. */
export const forgetAccepted = (db: Database): void => {
  db.run(
    "DELETE FROM accepted WHERE client IN (SELECT name FROM clients) AND minute < ?",
    minuteOf(db.now() - KEPT_MS),
  );
};
