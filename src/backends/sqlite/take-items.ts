import type { ClaimedItem } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import type { LaneRow } from "./lane-row.ts";
import type { QueueRow } from "./queue-row.ts";
import { setClaimable } from "./queue-row.ts";
import { refreshQueue } from "./refresh-lane.ts";

interface ItemRow {
  readonly seq: number;
  readonly key: string;
  readonly input: string;
  readonly scraper: number;
  readonly state: number;
  readonly attempts: number;
  readonly throttles: number;
}

/** Law 5: while fresh items are left, one in four is the most that due retries may take. */
const FRESH_PER_RETRY = 3;

/**
 * Takes up to `count` items from a queue and leases them: fresh ones as one run, due ones one by one.
 */
export const takeItems = (
  db: Database,
  worker: string,
  queue: QueueRow,
  lane: LaneRow,
  count: number,
): ClaimedItem[] => {
  const now = db.now();
  const cursor = db.get<{ cursor: number }>("SELECT cursor FROM queues WHERE id = ?", queue.id)!.cursor;
  const hasFresh = queue.ready_at === 0;
  const run = lane.fresh_run;
  const retryCap = hasFresh ? Math.min(count, Math.floor((run + count) / (FRESH_PER_RETRY + 1))) : count;
  const due =
    retryCap === 0
      ? []
      : db.all<ItemRow>(
          `SELECT seq, key, input, scraper, state, attempts, throttles FROM items
           WHERE queue = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?`,
          queue.id,
          now,
          retryCap,
        );
  const select = `SELECT seq, key, input, scraper, state, attempts, throttles FROM items WHERE queue = ? AND seq > ? ORDER BY seq LIMIT ?`;
  const fresh = hasFresh ? db.all<ItemRow>(select, queue.id, cursor, count - due.length) : [];
  const job = db.get<{ id: string }>("SELECT id FROM jobs WHERE number = ?", queue.job)!.id;
  const claimed: ClaimedItem[] = [];
  const claim = (row: ItemRow, lease: number) =>
    claimed.push({
      queue: queue.id,
      seq: row.seq,
      lease,
      job,
      lane: lane.name,
      key: row.key,
      input: row.input,
      scraper: row.scraper,
      attempt: row.attempts + 1,
      throttles: row.throttles,
    });
  for (const row of due) {
    const lease = openLease(db, worker, queue.id, row.seq, row.seq, 1);
    claim(row, lease);
    db.run(
      "UPDATE items SET due_at = NULL, state = 0, lease = ? WHERE queue = ? AND seq = ?",
      lease,
      queue.id,
      row.seq,
    );
    if (row.state === 2) db.run("UPDATE jobs SET waiting = waiting - 1 WHERE number = ?", queue.job);
  }
  if (fresh.length > 0) {
    const [first, last] = [fresh[0]!.seq, fresh.at(-1)!.seq];
    const lease = openLease(db, worker, queue.id, first, last, fresh.length);
    for (const row of fresh) claim(row, lease);
    db.run("UPDATE queues SET cursor = ? WHERE id = ?", last, queue.id);
  }
  const left = due.length > 0 ? 0 : Math.min(run + fresh.length, FRESH_PER_RETRY * 8);
  if (left !== run) db.run("UPDATE lanes SET fresh_run = ? WHERE id = ?", left, lane.id);
  if (fresh.length < count - due.length || !hasFresh || claimed.length > 0) refreshQueue(db, queue.id);
  if (queue.probing === 1 && claimed.length > 0) setClaimable(db, queue.id, false);
  return claimed;
};

export const openLease = (
  db: Database,
  worker: string,
  queue: number,
  lo: number,
  hi: number,
  open: number,
): number =>
  Number(
    db
      .sql("INSERT INTO leases (worker, queue, lo, hi, open) VALUES (?, ?, ?, ?, ?)")
      .run(worker, queue, lo, hi, open).lastInsertRowid,
  );
