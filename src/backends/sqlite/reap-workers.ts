import type { Failure } from "../../model/failure.ts";
import type { ItemRef } from "../../model/item.ts";
import { afterDeathAlone } from "../../model/suspect.ts";
import type { ReapReply, ReapRequest } from "../../ports/ledger.ts";
import { cancelOverdue } from "./cancel-overdue.ts";
import type { Database } from "./database.ts";
import { endJobWhenDone } from "./end-job.ts";
import { tellFailed } from "./failed-event.ts";
import { leaveFresh } from "./fresh-notes.ts";
import { JobTally } from "./job-tally.ts";
import { refreshLane, refreshQueue } from "./refresh-lane.ts";
import { sumResults } from "./row-sums.ts";
import { pastAttempts } from "./save-result.ts";
import { OVER_BUDGET } from "./spend-budget.ts";
import { chargeUnsettled } from "./unsettled-costs.ts";
import { addWorkSums } from "./work-sums.ts";

interface WorkerRow {
  readonly name: string;
  readonly alone: number;
  readonly running: string;
  readonly pulse_lease: number;
}

interface HeldItem extends ItemRef {
  readonly lease: number;
  readonly key: string;
  readonly acted: number;
  readonly job: number;
  /** Its job has nothing left to spend: what comes back fails. */
  readonly spent: number;
  readonly cancelled: number;
}

type Cause = NonNullable<ReapRequest["cause"]>;
const SILENT: Cause = { blame: "unknown", detail: "the worker fell silent" };

export const reapWorkers = async (db: Database, request: ReapRequest): Promise<ReapReply> => {
  const reply = await db.write(() => {
    if (request.worker === undefined) return reapExpired(db);
    const worker = db.get<WorkerRow>("SELECT * FROM workers WHERE name = ?", request.worker);
    return worker ? reap(db, worker, request.cause) : NONE;
  });
  if (request.worker === undefined) await cancelOverdue(db);
  return reply;
};

const NONE: ReapReply = { workers: 0, suspects: 0, returned: 0 };

/** Inside another transaction: every claim looks after those that have fallen silent. */
export const reapExpired = (db: Database): ReapReply => {
  const dead = db.all<WorkerRow>("SELECT * FROM workers WHERE until < ?", db.now());
  return dead.reduce((total, worker) => {
    const reply = reap(db, worker, SILENT);
    return {
      workers: total.workers + reply.workers,
      suspects: total.suspects + reply.suspects,
      returned: total.returned + reply.returned,
    };
  }, NONE);
};

/** Without a cause, one that ends in order and has nothing in its hands: it is not lost. */
const reap = (db: Database, worker: WorkerRow, known: Cause | undefined): ReapReply => {
  const cause = known ?? SILENT;
  const named = new Set(
    (JSON.parse(worker.running) as [number, number][]).map(([queue, seq]) => `${queue}/${seq}`),
  );
  const held = db.all<HeldItem>(
    `SELECT i.queue, i.seq, i.key, i.acted, l.id AS lease, q.job, j.spent_at IS NOT NULL AS spent, j.state = 'cancelled' AS cancelled
     FROM leases l JOIN items i ON i.queue = l.queue AND i.seq BETWEEN l.lo AND l.hi
     JOIN queues q ON q.id = i.queue JOIN jobs j ON j.number = q.job
     WHERE l.worker = ? AND i.state = 0 AND i.due_at IS NULL AND i.suspect = 0 AND coalesce(i.lease, l.id) = l.id`,
    worker.name,
  );
  const counts = { suspects: 0, returned: 0 };
  for (const item of held) {
    if (item.acted === 1) giveUp(db, item, worker.name, actedFailure(cause));
    else if (item.spent === 1) giveUp(db, item, worker.name, OVER_BUDGET);
    else if (item.cancelled === 1) cancelHeld(db, item);
    else if (worker.alone === 1) diedAlone(db, item, worker.name, cause);
    else if (item.lease > worker.pulse_lease || named.has(`${item.queue}/${item.seq}`)) {
      suspect(db, item);
      counts.suspects++;
    } else {
      db.run("UPDATE items SET due_at = ? WHERE queue = ? AND seq = ?", db.now(), item.queue, item.seq);
      counts.returned++;
    }
  }
  addWorkSums(db, {
    "lost workers": known || held.length > 0 ? 1 : 0,
    "lost leases": new Set(held.map(({ lease }) => lease)).size,
    "suspect items": counts.suspects,
  });
  for (const table of ["leases", "hands", "client_hands", "stops"])
    db.run(`DELETE FROM ${table} WHERE worker = ?`, worker.name);
  db.run("DELETE FROM worker_cards WHERE name = ?", worker.name);
  for (const [job, lost] of Map.groupBy(held, (item) => item.job))
    db.run("UPDATE jobs SET leased = leased - ? WHERE number = ?", lost.length, job);
  chargeUnsettled(db, worker.name);
  db.run("DELETE FROM workers WHERE name = ?", worker.name);
  leaveFresh(db, held);
  for (const queue of new Set(held.map((item) => item.queue))) reopen(db, queue);
  return { workers: 1, ...counts };
};

const reopen = (db: Database, queue: number): void => {
  // A probe that was lost says nothing about the site: it is let through again.
  db.run("UPDATE queues SET probing = 0 WHERE id = ? AND probing = 1", queue);
  refreshQueue(db, queue);
  const row = db.get<{ lane: number; job: number }>("SELECT lane, job FROM queues WHERE id = ?", queue)!;
  refreshLane(db, row.lane);
  endJobWhenDone(db, row.job);
};

const suspect = (db: Database, { queue, seq }: ItemRef, delayMs = 0): void => {
  db.run("UPDATE items SET suspect = 1, lease = NULL WHERE queue = ? AND seq = ?", queue, seq);
  db.run(
    `INSERT INTO suspects (queue, seq, due_at) VALUES (?, ?, ?)
     ON CONFLICT (queue, seq) DO UPDATE SET due_at = excluded.due_at, in_hand = 0`,
    queue,
    seq,
    db.now() + delayMs,
  );
};

/** Nobody will try it again: it reads as cancelled, by its due time. */
const cancelHeld = (db: Database, { queue, seq, job }: HeldItem): void => {
  db.run("UPDATE items SET due_at = ? WHERE queue = ? AND seq = ?", db.now(), queue, seq);
  db.run("DELETE FROM suspects WHERE queue = ? AND seq = ?", queue, seq);
  db.run("UPDATE queues SET open = open - 1 WHERE id = ?", queue);
  db.run("UPDATE jobs SET cancelled = cancelled + 1 WHERE number = ?", job);
};

const diedAlone = (db: Database, item: HeldItem, worker: string, cause: Cause): void => {
  const column = cause.blame === "scraper" ? "blamed" : "unexplained";
  const row = db.get<{ blamed: number; unexplained: number }>(
    `UPDATE suspects SET ${column} = ${column} + 1 WHERE queue = ? AND seq = ? RETURNING blamed, unexplained`,
    item.queue,
    item.seq,
  ) ?? { blamed: 0, unexplained: 0 };
  const next = afterDeathAlone(row);
  if (next !== "give-up") return suspect(db, item, next.waitMs);
  giveUp(db, item, worker, {
    kind: "scraper-error",
    detail: `the process that ran only this item ended ${row.blamed + row.unexplained} times: ${cause.detail}`,
  });
};

const actedFailure = (cause: Cause): Failure => ({
  kind: "worker-lost",
  detail: `its acting request had left when the worker was lost (${cause.detail}); not tried again by itself`,
});

const giveUp = (db: Database, item: HeldItem, worker: string, failure: Failure): void => {
  const now = db.now();
  const { job } = item;
  db.run("UPDATE queues SET open = open - 1 WHERE id = ?", item.queue);
  db.run("DELETE FROM suspects WHERE queue = ? AND seq = ?", item.queue, item.seq);
  db.run(
    "UPDATE items SET state = 5, attempts = attempts + 1 WHERE queue = ? AND seq = ?",
    item.queue,
    item.seq,
  );
  const { revision } = db.get<{ revision: number }>("SELECT revision FROM jobs WHERE number = ?", job)!;
  const past = { at: now, ms: 0, worker, failure, ...(revision > 0 && { revision }) };
  const history = [...pastAttempts(db, item.queue, item.seq), past];
  db.run(
    "INSERT OR REPLACE INTO results (queue, seq, ended_at, failure, history, revision) VALUES (?, ?, ?, ?, ?, ?)",
    item.queue,
    item.seq,
    now,
    JSON.stringify(failure),
    JSON.stringify(history),
    revision,
  );
  sumResults(db, item.queue, item.seq);
  const tally = new JobTally(job);
  tally.addFailure(failure, item.key, true);
  tally.write(db);
  const { id } = db.get<{ id: string }>(
    "UPDATE jobs SET failed = failed + 1 WHERE number = ? RETURNING id",
    job,
  )!;
  tellFailed(db, id, [{ ...item, failure }]);
};
