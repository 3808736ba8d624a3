import type { Failure } from "../../model/failure.ts";
import type { Change } from "../../model/freshness.ts";
import type { PastAttempt } from "../../model/item.ts";
import { revisionOf } from "../../model/job-version.ts";
import type { JobSpec } from "../../model/job.ts";
import type { SettledItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { historySum, resultSum } from "./row-sums.ts";
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
  change: Change | undefined,
  spec: JobSpec,
): void => {
  const { queue, seq, outcome, attempt } = item;
  const history = failure ? pastAttempts(db, queue, seq) : undefined;
  const { startedAt: at, ms, requests, bytes } = attempt;
  const revision = revisionOf(spec);
  if (failure) history!.push({ at, ms, worker, failure, requests, bytes, ...(revision > 0 && { revision }) });
  const detail = outcome.state === "absent" ? [outcome.detail] : [];
  const text = (value: object | undefined): string | null => (value ? JSON.stringify(value) : null);
  const row = {
    queue,
    seq,
    ended_at: db.now(),
    quality: "quality" in outcome ? outcome.quality : null,
    failure: text(failure),
    captures: item.captures.length > 0 ? JSON.stringify(item.captures) : null,
    records: text(item.records ?? undefined),
    skipped: outcome.state === "skipped" ? JSON.stringify({ reason: outcome.reason }) : null,
    change: change ?? null,
    attempt: JSON.stringify([at, ms, requests, bytes, worker, ...detail]),
    revision,
  };
  const past = text(history);
  db.sql(
    `INSERT INTO results (queue, seq, ended_at, quality, failure, captures, records, skipped, change, attempt, revision, sum, history, history_sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (queue, seq) DO UPDATE SET ended_at = excluded.ended_at, quality = excluded.quality, failure = excluded.failure,
       captures = excluded.captures, records = excluded.records, skipped = excluded.skipped, change = excluded.change,
       attempt = excluded.attempt, revision = excluded.revision, sum = excluded.sum, history = coalesce(excluded.history, history),
       history_sum = coalesce(excluded.history_sum, history_sum)`,
  ).run(
    row.queue,
    row.seq,
    row.ended_at,
    row.quality,
    row.failure,
    row.captures,
    row.records,
    row.skipped,
    row.change,
    row.attempt,
    row.revision,
    resultSum(row, own),
    past,
    historySum(queue, seq, past),
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
