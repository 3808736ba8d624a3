import type { Failure } from "../../model/failure.ts";
import type { PastAttempt } from "../../model/item.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";

/** What an attempt brought; the last one's word holds, only past failures are gathered. */
export const saveResult = (
  db: Database,
  worker: string,
  item: SettledItem,
  failure: Failure | undefined,
): void => {
  const { queue, seq, outcome, attempt } = item;
  const history = failure ? pastAttempts(db, queue, seq) : undefined;
  if (failure) history!.push({ at: attempt.startedAt, ms: attempt.ms, worker, failure });
  db.sql(
    `INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (queue, seq) DO UPDATE SET ended_at = excluded.ended_at, quality = excluded.quality, failure = excluded.failure,
       captures = excluded.captures, records = excluded.records, history = coalesce(excluded.history, history), skipped = excluded.skipped`,
  ).run(
    queue,
    seq,
    db.now(),
    "quality" in outcome ? outcome.quality : null,
    failure ? JSON.stringify(failure) : null,
    item.captures.length > 0 ? JSON.stringify(item.captures) : null,
    item.records ? JSON.stringify(item.records) : null,
    history ? JSON.stringify(history) : null,
    outcome.state === "skipped" ? JSON.stringify({ reason: outcome.reason }) : null,
  );
};

export const pastAttempts = (db: Database, queue: number, seq: number): PastAttempt[] => {
  const row = db.get<{ history: string | null }>(
    "SELECT history FROM results WHERE queue = ? AND seq = ?",
    queue,
    seq,
  );
  return row?.history ? (JSON.parse(row.history) as PastAttempt[]) : [];
};
