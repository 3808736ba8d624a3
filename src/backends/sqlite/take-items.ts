import type { ClaimedItem } from "../../ports/ledger.ts";
import type { ClaimTally } from "./claim-items.ts";
import type { Database } from "./database.ts";
import { answerFresh } from "./fresh-claims.ts";
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
 * So many items are looked at, at most, for those that must be fetched, where some may be answered from the archive. What is answered books no
 * slot, so a long run of such items is passed claim after claim, at once.
 */
const LOOK_AHEAD = 100;

const COLUMNS = "seq, key, input, scraper, state, attempts, throttles";

/** Takes up to `count` items from a queue and leases them: fresh ones as one run, due ones one by one. */
export const takeItems = (
  db: Database,
  tally: ClaimTally,
  queue: QueueRow,
  lane: LaneRow,
  count: number,
): ClaimedItem[] => {
  const { worker } = tally.request;
  const {
    cursor,
    id: job,
    revision,
  } = db.get<{ cursor: number; id: string; revision: number }>(
    "SELECT q.cursor, j.id, j.revision FROM queues q JOIN jobs j ON j.number = q.job WHERE q.id = ?",
    queue.id,
  )!;
  const hasFresh = queue.ready_at === 0;
  const run = lane.fresh_run;
  const retryCap = hasFresh ? Math.min(count, Math.floor((run + count) / (FRESH_PER_RETRY + 1))) : count;
  const due = dueItems(db, tally, queue, retryCap);
  const { fresh, last } = hasFresh
    ? freshItems(db, queue, cursor, count - due.length)
    : { fresh: [], last: cursor };
  const claimed: ClaimedItem[] = [];
  const claim = (row: ItemRow, lease: number) =>
    claimed.push({
      queue: queue.id,
      seq: row.seq,
      lease,
      job,
      revision,
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
  }
  if (fresh.length > 0) {
    const lease = openLease(db, worker, queue.id, fresh[0]!.seq, fresh.at(-1)!.seq, fresh.length);
    for (const row of fresh) claim(row, lease);
  }
  if (last > cursor) {
    db.run("UPDATE queues SET cursor = ? WHERE id = ?", last, queue.id);
    if (last - cursor > fresh.length) tally.hasPassed = true;
  }
  countTaken(tally, queue.job, claimed.length, due.filter(({ state }) => state === 2).length);
  const left = due.length > 0 ? 0 : Math.min(run + fresh.length, FRESH_PER_RETRY * 8);
  if (left !== run) db.run("UPDATE lanes SET fresh_run = ? WHERE id = ?", left, lane.id);
  refreshQueue(db, queue.id);
  if (queue.probing === 1 && claimed.length > 0) setClaimable(db, queue.id, false);
  return claimed;
};

const dueItems = (db: Database, tally: ClaimTally, queue: QueueRow, limit: number): readonly ItemRow[] => {
  if (limit === 0) return [];
  const rows = db.all<ItemRow>(
    `SELECT ${COLUMNS} FROM items WHERE queue = ? AND due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?`,
    queue.id,
    db.now(),
    limit,
  );
  if (queue.freshness === null) return rows;
  const { left } = answerFresh(db, queue, rows, limit);
  if (left.length < rows.length) tally.hasPassed = true;
  return left;
};

/** `last`: the cursor moves there, also over what was answered from the archive. */
const freshItems = (
  db: Database,
  queue: QueueRow,
  cursor: number,
  count: number,
): { readonly fresh: readonly ItemRow[]; readonly last: number } => {
  const select = `SELECT ${COLUMNS} FROM items WHERE queue = ? AND seq > ? ORDER BY seq LIMIT ?`;
  const most = queue.freshness === null || count === 0 ? count : Math.max(count, LOOK_AHEAD);
  const rows = db.all<ItemRow>(select, queue.id, cursor, most);
  const { left, seen } =
    queue.freshness === null ? { left: rows, seen: rows.length } : answerFresh(db, queue, rows, count);
  return { fresh: left, last: rows[seen - 1]?.seq ?? cursor };
};

const countTaken = ({ taken }: ClaimTally, job: number, items: number, waiting: number): void => {
  const known = taken.get(job) ?? { items: 0, waiting: 0 };
  taken.set(job, { items: known.items + items, waiting: known.waiting + waiting });
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
