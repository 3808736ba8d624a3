import type { Removal, RemovalScope } from "../../../model/removal.ts";
import { LedgerError } from "../../../ports/ledger.ts";
import type { Database } from "../database.ts";
import { type JobRow, jobRow, readSpec } from "../job-row.ts";
import { isStopHeard } from "../stops.ts";
import { addWorkSums } from "../work-sums.ts";
import { removalRow, removalView } from "./removal-row.ts";

/** A removed job leaves `jobs` at once: whatever looks for it there does not find it, however much of it is still to be deleted. */
export const markRemoval = async (db: Database, id: string, what: RemovalScope): Promise<Removal> =>
  await db.write(() => {
    const before = removalRow(db, id);
    if (before?.what === "job") return removalView(db, before);
    const job = jobRow(db, id);
    refuseRunning(db, job);
    const isMarked =
      before?.what === what && (before.step !== null || before.marked_at >= (job.ended_at ?? Infinity));
    if (before && isMarked) return removalView(db, before);
    db.run(
      `INSERT INTO removals (number, id, client, scraper, what, created_at, ended_at, marked_at, step) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'fresh')
       ON CONFLICT (number) DO UPDATE SET what = excluded.what, ended_at = excluded.ended_at, marked_at = excluded.marked_at, step = 'fresh',
         queue = 0, seq = 0, counted_to = ''`,
      job.number,
      id,
      job.client,
      readSpec(job.spec).scraper,
      what,
      job.created_at,
      job.ended_at,
      db.now(),
    );
    if (what === "job") dropJob(db, job);
    return removalView(db, removalRow(db, id)!);
  });

const refuseRunning = (db: Database, { id, number, state, ended_at }: JobRow): void => {
  if (ended_at === null && state !== "cancelled")
    throw new LedgerError(
      "job-running",
      `${id}: the job has not ended (${state}), so nothing of it is removed. End it with \`sluice jobs cancel ${id}\`, or wait until it is done.`,
    );
  const isHeld = db.get(
    "SELECT 1 FROM queues q JOIN leases l ON l.queue = q.id WHERE q.job = ? LIMIT 1",
    number,
  );
  if (ended_at === null || isHeld || !isStopHeard(db, number))
    throw new LedgerError(
      "job-running",
      `${id}: workers still hold items of the job. Try again in a few seconds.`,
    );
};

const dropJob = (db: Database, { id, number, spec }: JobRow): void => {
  for (const [name, value] of Object.entries(readSpec(spec).labels ?? {}))
    db.run("DELETE FROM job_labels WHERE name = ? AND value = ? AND job = ?", name, value, number);
  db.run("DELETE FROM job_failures WHERE job = ?", number);
  db.run("DELETE FROM job_changes WHERE job = ?", id);
  db.run("DELETE FROM stops WHERE job = ?", number);
  db.run("DELETE FROM jobs WHERE number = ?", number);
  addWorkSums(db, { "removed jobs": 1 });
};
