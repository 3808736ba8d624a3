import type { FailureKind } from "../../model/failure.ts";
import type { ItemRef } from "../../model/item.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { findKeys } from "./find-keys.ts";
import { jobRow, type JobRow, readSpec } from "./job-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { isLosingPages } from "./removals/removal-row.ts";
import { sumResults } from "./row-sums.ts";
import { openQueues } from "./steer-job.ts";

/** Items a transaction, so that the lock is held briefly however many have failed. */
const CHUNK = 500;

interface RetryFilter {
  readonly kinds?: readonly FailureKind[];
  readonly keys?: readonly string[];
}

interface FailedRow extends ItemRef {
  readonly lane: number;
  readonly kind: FailureKind;
}

export const retryItems = async (db: Database, id: string, filter: RetryFilter): Promise<number> =>
  filter.keys ? await retryKeys(db, id, filter.keys, filter.kinds) : await retryAll(db, id, filter.kinds);

const retryAll = async (
  db: Database,
  id: string,
  kinds: readonly FailureKind[] | undefined,
): Promise<number> => {
  let total = 0;
  let after: ItemRef = { queue: 0, seq: 0 };
  for (;;) {
    const rows = await db.write(() => {
      const job = retryableJob(db, id);
      return putBack(db, job, failedAfter(db, job.number, kinds, after));
    });
    total += rows.length;
    const last = rows.at(-1);
    if (!last) return total;
    after = last;
  }
};

const retryKeys = async (
  db: Database,
  id: string,
  keys: readonly string[],
  kinds: readonly FailureKind[] | undefined,
): Promise<number> => {
  let total = 0;
  for (let from = 0; from === 0 || from < keys.length; from += CHUNK) {
    const rows = await db.write(() => {
      const job = retryableJob(db, id);
      const { scrapers } = readSpec(job.spec);
      const refs = findKeys(db, job, keys.slice(from, from + CHUNK), scrapers.length);
      const failed = refs.flatMap((ref) => failedAt(db, ref) ?? []);
      return putBack(
        db,
        job,
        failed.filter(({ kind }) => !kinds || kinds.includes(kind)),
      );
    });
    total += rows.length;
  }
  return total;
};

/** Of a job that may go on: one that was cancelled, or whose budget or deadline is over, may not. */
export const retryableJob = (db: Database, id: string): JobRow => {
  const job = jobRow(db, id);
  if (job.state === "cancelled")
    throw new LedgerError("job-ended", `${id}: the job was cancelled; start a new one for its items.`);
  if (job.spent_at !== null)
    throw new LedgerError("job-ended", `${id}: the job's budget is spent; start a new one for its items.`);
  if (isLosingPages(db, job.number))
    throw new LedgerError("job-ended", `${id}: its pages are being removed. Try again when they are.`);
  if ((readSpec(job.spec).deadlineAt ?? Infinity) <= db.now())
    throw new LedgerError(
      "job-ended",
      `${id}: the job's deadline has passed; start a new one for its items.`,
    );
  return job;
};

const failedAfter = (
  db: Database,
  job: number,
  kinds: readonly FailureKind[] | undefined,
  after: ItemRef,
): FailedRow[] =>
  db.all<FailedRow>(
    `SELECT i.queue, q.lane, i.seq, r.failure ->> 'kind' AS kind
     FROM queues q CROSS JOIN items i INDEXED BY items_ended ON i.queue = q.id CROSS JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     WHERE q.job = ?1 AND q.id >= ?2 AND i.state = 5 AND i.state > 3 AND (i.queue > ?2 OR i.seq > ?3)
       AND (?4 IS NULL OR r.failure ->> 'kind' IN (SELECT value FROM json_each(?4)))
     ORDER BY i.queue, i.seq LIMIT ?5`,
    job,
    after.queue,
    after.seq,
    kinds ? JSON.stringify(kinds) : null,
    CHUNK,
  );

const failedAt = (db: Database, { queue, seq }: ItemRef): FailedRow | undefined =>
  db.get<FailedRow>(
    `SELECT i.queue, q.lane, i.seq, r.failure ->> 'kind' AS kind
     FROM items i JOIN queues q ON q.id = i.queue JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     WHERE i.queue = ? AND i.seq = ? AND i.state = 5`,
    queue,
    seq,
  );

const putBack = (db: Database, job: JobRow, rows: readonly FailedRow[]): readonly FailedRow[] => {
  for (const { queue, seq, kind } of rows) {
    db.run(
      `UPDATE items SET state = 0, attempts = 0, throttles = 0, acted = 0, due_at = ? WHERE queue = ? AND seq = ?`,
      db.now(),
      queue,
      seq,
    );
    sumResults(db, queue, seq);
    db.run(
      "UPDATE queues SET open = open + 1, ready_at = min(coalesce(ready_at, ?1), ?1) WHERE id = ?2",
      db.now(),
      queue,
    );
    db.run("UPDATE job_failures SET final = final - 1 WHERE job = ? AND kind = ?", job.number, kind);
  }
  if (rows.length > 0)
    db.run(
      `UPDATE jobs SET failed = failed - ?, ended_at = NULL, reopened_at = ?, state = CASE state WHEN 'done' THEN 'running' ELSE state END
       WHERE number = ?`,
      rows.length,
      db.now(),
      job.number,
    );
  // It may have come to its end while it was paused or held: nobody would resume a job that had ended.
  if (rows.length > 0 && job.state === "done") openQueues(db, job.number);
  for (const lane of new Set(rows.map((row) => row.lane))) refreshLane(db, lane);
  return rows;
};
