import type { UnsettledCost } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { spendBudget } from "./spend-budget.ts";

export type Spent = Omit<UnsettledCost, "queue">;

/**
 * What a worker has spent on items that are not settled, as its last pulse said: `[queue, requests, bytes]` in `workers.unsettled`. A settle takes
 * its own part out; what is left when the worker is lost was spent all the same.
 */
type Row = readonly [queue: number, requests: number, bytes: number];

const readUnsettled = (db: Database, worker: string): readonly Row[] => {
  const row = db.get<{ unsettled: string }>("SELECT unsettled FROM workers WHERE name = ?", worker);
  return row ? (JSON.parse(row.unsettled) as Row[]) : [];
};

const writeUnsettled = (db: Database, worker: string, rows: readonly Row[]): void => {
  db.run("UPDATE workers SET unsettled = ? WHERE name = ?", JSON.stringify(rows), worker);
};

export const keepUnsettled = (db: Database, worker: string, costs: readonly UnsettledCost[]): void =>
  writeUnsettled(
    db,
    worker,
    costs.map(({ queue, requests, bytes }) => [queue, requests, bytes]),
  );

export const takeUnsettled = (db: Database, worker: string, paid: ReadonlyMap<number, Spent>): void => {
  const known = readUnsettled(db, worker);
  if (known.length === 0 || paid.size === 0) return;
  const left = known.flatMap(([queue, requests, bytes]): Row[] => {
    const own = paid.get(queue);
    if (!own) return [[queue, requests, bytes]];
    return requests > own.requests ? [[queue, requests - own.requests, Math.max(0, bytes - own.bytes)]] : [];
  });
  writeUnsettled(db, worker, left);
};

/** The worker is lost, and what it fetched with it; its jobs have paid for it. */
export const chargeUnsettled = (db: Database, worker: string): void => {
  for (const [queue, requests, bytes] of readUnsettled(db, worker)) {
    const job = db.get<JobRow>(
      `UPDATE jobs SET requests = requests + ?, bytes = bytes + ? WHERE number = (SELECT job FROM queues WHERE id = ?)
       RETURNING *`,
      requests,
      bytes,
      queue,
    );
    const budget = job && readSpec(job.spec).budget;
    if (job && budget) spendBudget(db, job, budget);
  }
};
