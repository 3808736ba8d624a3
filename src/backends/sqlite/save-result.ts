import type { Failure } from "../../model/failure.ts";
import type { PastAttempt } from "../../model/item.ts";
import { revisionOf } from "../../model/job-version.ts";
import type { JobSpec } from "../../model/job.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { rowSum } from "./row-sums.ts";
import { noteBorrowed } from "./removals/borrowed.ts";

/** A past attempt as it is written: its version is found by the job's revision, 0 when left out. */
export type PastRow = Omit<PastAttempt, "version"> & { readonly revision?: number };

/** What an attempt brought; the last one's word holds, only past failures are gathered. */
export const saveResult = (
  db: Database,
  worker: string,
  item: SettledItem,
  /** Of the item: see `itemText`. */
  own: string,
  failure: Failure | undefined,
  spec: JobSpec,
): void => {
  const { queue, seq, outcome, attempt } = item;
  const history = failure ? pastAttempts(db, queue, seq) : undefined;
  const { startedAt: at, ms, requests, bytes } = attempt;
  const revision = revisionOf(spec);
  if (failure) history!.push({ at, ms, worker, failure, requests, bytes, ...(revision > 0 && { revision }) });
  const detail = outcome.state === "absent" ? [outcome.detail] : [];
  const text = (value: object | undefined): string | null => (value ? JSON.stringify(value) : null);
  const endedAt = db.now();
  const quality = "quality" in outcome ? outcome.quality : null;
  const why = text(failure);
  const captures = item.captures.length > 0 ? JSON.stringify(item.captures) : null;
  const records = text(item.records ?? undefined);
  const skipped = outcome.state === "skipped" ? JSON.stringify({ reason: outcome.reason }) : null;
  const tried = JSON.stringify([at, ms, requests, bytes, worker, ...detail]);
  const past = text(history);
  db.sql(
    `INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, history, skipped, attempt, revision, sum, history_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (queue, seq) DO UPDATE SET ended_at = excluded.ended_at, quality = excluded.quality, failure = excluded.failure,
       captures = excluded.captures, records = excluded.records, history = coalesce(excluded.history, history), skipped = excluded.skipped,
       attempt = excluded.attempt, revision = excluded.revision, sum = CASE WHEN change IS NULL THEN excluded.sum END,
       history_sum = CASE WHEN excluded.history IS NULL THEN history_sum ELSE excluded.history_sum END`,
  ).run(
    queue,
    seq,
    endedAt,
    quality,
    why,
    captures,
    records,
    past,
    skipped,
    tried,
    revision,
    rowSum([queue, seq, endedAt, quality, why, captures, records, skipped, null, tried, revision, own]),
    past === null ? null : rowSum([queue, seq, past]),
  );
  noteBorrowed(db, item, spec.id, item.captures);
};

export const pastAttempts = (db: Database, queue: number, seq: number): PastRow[] => {
  const row = db.get<{ history: string | null }>(
    "SELECT history FROM results WHERE queue = ? AND seq = ?",
    queue,
    seq,
  );
  return row?.history ? (JSON.parse(row.history) as PastRow[]) : [];
};
