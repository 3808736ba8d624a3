import type { RobotsAnswer, RobotsReply } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

/** One asker fetches; if it is not heard of again, the next one may after this. */
const FETCH_MS = 30_000;
const AGAIN_MS = 100;

interface RobotsRow {
  readonly text: string | null;
  readonly until: number;
  readonly fetcher: string | null;
  readonly fetch_until: number;
}

export const readRobots = async (db: Database, origin: string, worker: string): Promise<RobotsReply> => {
  const now = db.now();
  const kept = await db.read(() =>
    db.get<RobotsRow>("SELECT * FROM robots WHERE origin = ? AND until > ?", origin, now),
  );
  if (kept) return { known: { text: kept.text, keepMs: kept.until - now } };
  return await db.write(() => {
    const row = db.get<RobotsRow>("SELECT * FROM robots WHERE origin = ?", origin);
    if (row && row.until > now) return { known: { text: row.text, keepMs: row.until - now } };
    const isFetched = row?.fetcher != null && row.fetcher !== worker && row.fetch_until > now;
    if (isFetched && db.get("SELECT 1 FROM workers WHERE name = ? AND until IS NOT NULL", row.fetcher))
      return { mayFetch: false, againInMs: AGAIN_MS };
    db.run(
      `INSERT INTO robots (origin, fetcher, fetch_until) VALUES (?, ?, ?)
       ON CONFLICT (origin) DO UPDATE SET fetcher = excluded.fetcher, fetch_until = excluded.fetch_until`,
      origin,
      worker,
      now + FETCH_MS,
    );
    return { mayFetch: true };
  }, false);
};

export const keepRobots = async (db: Database, origin: string, answer: RobotsAnswer): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        `INSERT INTO robots (origin, text, until) VALUES (?, ?, ?)
         ON CONFLICT (origin) DO UPDATE SET text = excluded.text, until = excluded.until, fetcher = NULL, fetch_until = 0`,
        origin,
        answer.text,
        db.now() + answer.keepMs,
      ),
    false,
  );
