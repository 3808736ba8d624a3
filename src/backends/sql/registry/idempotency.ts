import type { OnceAnswer, OnceReply, OnceRequest } from "../../../ports/registry.ts";
import { all, run, type StepEngine, type Steps } from "../steps.ts";

interface OnceRow {
  readonly fingerprint: string;
  readonly name: string;
  readonly begun_at: number;
  readonly keep_until: number;
  readonly status: number | null;
  readonly body: string | null;
}

/** A request may take this long; after that, its sender counts as gone. */
const UNDER_WAY_MS = 60_000;
const FORGET_AT_ONCE = 100;

export const beginOnce = async (db: StepEngine, request: OnceRequest): Promise<OnceReply> =>
  await db.write("registry", function* (now): Steps<OnceReply> {
    yield* forget(now);
    const [row] = yield* all<OnceRow>(
      "SELECT * FROM once_answers WHERE client = ? AND key = ?",
      request.client,
      request.key,
    );
    const known = row && row.keep_until > now ? row : undefined;
    const reply = known && replyOf(known, request, now);
    if (reply) return reply;
    const name = known?.name ?? request.name;
    yield* run(
      `INSERT INTO once_answers (client, key, fingerprint, name, begun_at, keep_until) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (client, key) DO UPDATE SET fingerprint = excluded.fingerprint, name = excluded.name, begun_at = excluded.begun_at,
         keep_until = excluded.keep_until, status = NULL, body = NULL`,
      request.client,
      request.key,
      request.fingerprint,
      name,
      now,
      now + request.keepMs,
    );
    return { begun: true, name };
  });

export const endOnce = async (
  db: StepEngine,
  client: string,
  key: string,
  answer: OnceAnswer,
): Promise<void> => {
  const text = "UPDATE once_answers SET status = ?, body = ? WHERE client = ? AND key = ? AND status IS NULL";
  await db.write("registry", () => run(text, answer.status, answer.body, client, key));
};

export const leaveOnce = async (db: StepEngine, client: string, key: string): Promise<void> => {
  const text = "UPDATE once_answers SET begun_at = 0 WHERE client = ? AND key = ? AND status IS NULL";
  await db.write("registry", () => run(text, client, key));
};

const replyOf = (row: OnceRow, request: OnceRequest, now: number): OnceReply | undefined => {
  if (row.fingerprint !== request.fingerprint) return { begun: false, isOther: true };
  if (row.status !== null) return { begun: false, answer: { status: row.status, body: row.body ?? "" } };
  return now - row.begun_at < UNDER_WAY_MS ? { begun: false, isUnderWay: true } : undefined;
};

const forget = (now: number): Steps<number> =>
  run(
    `DELETE FROM once_answers WHERE (client, key) IN
       (SELECT client, key FROM once_answers WHERE keep_until <= ? ORDER BY keep_until LIMIT ${FORGET_AT_ONCE})`,
    now,
  );
