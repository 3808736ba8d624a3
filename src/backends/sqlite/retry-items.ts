import type { FailureKind } from "../../model/failure.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { jobRow } from "./job-row.ts";
import { refreshLane } from "./refresh-lane.ts";

/** Items a transaction, so that the lock is held briefly however many have failed. */
const CHUNK = 500;

interface FailedRow {
  readonly queue: number;
  readonly lane: number;
  readonly seq: number;
  readonly kind: FailureKind;
}

export const retryItems = async (
  db: Database,
  id: string,
  filter: { readonly kinds?: readonly FailureKind[] },
): Promise<number> => {
  let total = 0;
  let after = { queue: 0, seq: 0 };
  for (;;) {
    const rows = await db.write(() => retryChunk(db, id, filter.kinds, after));
    total += rows.length;
    const last = rows.at(-1);
    if (!last) return total;
    after = last;
  }
};

const retryChunk = (
  db: Database,
  id: string,
  kinds: readonly FailureKind[] | undefined,
  after: { readonly queue: number; readonly seq: number },
): FailedRow[] => {
  const job = jobRow(db, id);
  if (job.state === "cancelled")
    throw new LedgerError("job-ended", `${id}: the job was cancelled; start a new one for its items.`);
  const rows = db.all<FailedRow>(
    `SELECT i.queue, q.lane, i.seq, r.failure ->> 'kind' AS kind
     FROM queues q JOIN items i ON i.queue = q.id JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     WHERE q.job = ? AND i.state = 5 AND (i.queue, i.seq) > (?, ?) AND (? IS NULL OR r.failure ->> 'kind' IN (SELECT value FROM json_each(?)))
     ORDER BY i.queue, i.seq LIMIT ?`,
    job.number,
    after.queue,
    after.seq,
    kinds ? 1 : null,
    JSON.stringify(kinds ?? []),
    CHUNK,
  );
  for (const { queue, seq, kind } of rows) {
    db.run(
      `UPDATE items SET state = 0, attempts = 0, throttles = 0, acted = 0, due_at = ? WHERE queue = ? AND seq = ?`,
      db.now(),
      queue,
      seq,
    );
    db.run(
      "UPDATE queues SET open = open + 1, ready_at = min(coalesce(ready_at, ?1), ?1) WHERE id = ?2",
      db.now(),
      queue,
    );
    db.run("UPDATE job_failures SET final = final - 1 WHERE job = ? AND kind = ?", job.number, kind);
  }
  if (rows.length > 0)
    db.run(
      "UPDATE jobs SET failed = failed - ?, ended_at = NULL, state = CASE state WHEN 'done' THEN 'running' ELSE state END WHERE number = ?",
      rows.length,
      job.number,
    );
  for (const lane of new Set(rows.map((row) => row.lane))) refreshLane(db, lane);
  return rows;
};
