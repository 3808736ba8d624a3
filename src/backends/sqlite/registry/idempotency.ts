import type { OnceAnswer, OnceReply, OnceRequest } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";

interface OnceRow {
  readonly fingerprint: string;
  readonly name: string;
  readonly begun_at: number;
  readonly keep_until: number;
  readonly status: number | null;
  readonly body: string | null;
}

/** So long a request may take; who made it is gone after that. */
const UNDER_WAY_MS = 60_000;
const FORGET_AT_ONCE = 100;

export const beginOnce = async (db: Database, request: OnceRequest): Promise<OnceReply> =>
  await db.write(() => {
    const now = db.now();
    forget(db, now);
    const row = db.get<OnceRow>(
      "SELECT * FROM once_answers WHERE client = ? AND key = ?",
      request.client,
      request.key,
    );
    const known = row && row.keep_until > now ? row : undefined;
    const reply = known && replyOf(known, request, now);
    if (reply) return reply;
    const name = known?.name ?? request.name;
    db.run(
      `INSERT OR REPLACE INTO once_answers (client, key, fingerprint, name, begun_at, keep_until) VALUES (?, ?, ?, ?, ?, ?)`,
      request.client,
      request.key,
      request.fingerprint,
      name,
      now,
      now + request.keepMs,
    );
    return { begun: true, name };
  });

export const endOnce = async (db: Database, client: string, key: string, answer: OnceAnswer): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        "UPDATE once_answers SET status = ?, body = ? WHERE client = ? AND key = ? AND status IS NULL",
        answer.status,
        answer.body,
        client,
        key,
      ),
  );

export const leaveOnce = async (db: Database, client: string, key: string): Promise<void> =>
  await db.write(
    () =>
      void db.run(
        "UPDATE once_answers SET begun_at = 0 WHERE client = ? AND key = ? AND status IS NULL",
        client,
        key,
      ),
  );

const replyOf = (row: OnceRow, request: OnceRequest, now: number): OnceReply | undefined => {
  if (row.fingerprint !== request.fingerprint) return { begun: false, isOther: true };
  if (row.status !== null) return { begun: false, answer: { status: row.status, body: row.body ?? "" } };
  return now - row.begun_at < UNDER_WAY_MS ? { begun: false, isUnderWay: true } : undefined;
};

const forget = (db: Database, now: number): void => {
  db.run(
    `DELETE FROM once_answers WHERE rowid IN
       (SELECT rowid FROM once_answers WHERE keep_until <= ? ORDER BY keep_until LIMIT ${FORGET_AT_ONCE})`,
    now,
  );
};
