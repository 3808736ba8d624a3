import type { Job } from "../../../ledger/records.ts";
import { isStopHeard } from "../../../ledger/workers.ts";
import type { Removal, RemovalScope } from "../../../domain/removal.ts";
import { LedgerError } from "../../../ports/ledger.ts";
import type { Removals } from "../../../ports/removals.ts";
import { type Connection, count, jobNamed, readRecords } from "../rows.ts";
import {
  dueSweeps,
  endSweep,
  forgetFresh,
  forgetObjects,
  freedObjects,
  noteLent,
  releaseObjects,
} from "./detach-job.ts";
import { dropRows, endRemoval } from "./drop-rows.ts";
import { addWorkSums, type RemovalRow, removalRow, removalView } from "./removal-row.ts";

export const openRemovals = (db: Connection): Removals => ({
  mark: (job, what) => db.write(() => markRemoval(db, job, what)),
  read: (job) =>
    db.read(() => {
      const row = removalRow(db, job);
      return row && removalView(db, row);
    }),
  list: ({ client = null, after = null, limit }) =>
    db.read(() =>
      db
        .all<RemovalRow>(
          `SELECT * FROM removals WHERE what = 'job' AND (?1 IS NULL OR client = ?1)
             AND number < coalesce((SELECT number FROM removals WHERE id = ?2), 9e15) ORDER BY number DESC LIMIT ?3`,
          client,
          after,
          limit,
        )
        .map((row) => removalView(db, row)),
    ),
  open: (limit) =>
    db.read(() =>
      db
        .all<RemovalRow>("SELECT * FROM removals WHERE step IS NOT NULL ORDER BY marked_at LIMIT ?", limit)
        .map((row) => removalView(db, row)),
    ),
  advance: (job) => db.write(() => advance(db, job), false),
  release: (job, objects) => db.write(() => releaseObjects(db, job, objects)),
  async endBytes(job, what) {
    await db.write(() => {
      // More may be wanted by now than whoever deleted knew of.
      if (removalRow(db, job)?.what === what) enter(db, job, "bytes", "rows");
    });
  },
  due: (limit) => db.read(() => dueSweeps(db, limit)),
  freed: (job) => freedObjects(db, job),
  forget: (job, objects) => forgetObjects(db, job, objects),
  endSweep: (sweep) => db.write(() => endSweep(db, sweep)),
});

/** A removed job leaves `jobs` at once: whatever looks for it there does not find it, however much of it is still to be deleted. */
const markRemoval = (db: Connection, id: string, what: RemovalScope): Removal => {
  const before = removalRow(db, id);
  if (before?.what === "job") return removalView(db, before);
  const job = jobNamed(db, id);
  const endedAt = mustHaveEnded(db, job);
  const isMarked = before?.what === what && (before.step !== null || before.marked_at >= endedAt);
  if (before && isMarked) return removalView(db, before);
  db.run(
    `INSERT INTO removals (number, id, client, scraper, what, created_at, ended_at, marked_at, step) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'fresh')
     ON CONFLICT (number) DO UPDATE SET what = excluded.what, ended_at = excluded.ended_at, marked_at = excluded.marked_at, step = 'fresh',
       queue = 0, seq = 0, counted_to = ''`,
    job.number,
    id,
    job.client,
    job.spec.scraper,
    what,
    job.createdAt,
    endedAt,
    db.now(),
  );
  if (what === "job") dropJob(db, job);
  return removalView(db, removalRow(db, id)!);
};

const mustHaveEnded = (db: Connection, { id, number, state, endedAt }: Job): number => {
  if (endedAt === null && state !== "cancelled")
    throw new LedgerError(
      "job-running",
      `${id}: the job has not ended (${state}), so it cannot be removed. Cancel it with \`sluice jobs cancel ${id}\`, or wait until it is done.`,
    );
  const held = count(db, "SELECT coalesce(sum(leased), 0) FROM queues WHERE job = ?", number);
  if (endedAt === null || held > 0 || !isStopHeard(readRecords(db, "workers"), number, db.now()))
    throw new LedgerError(
      "job-running",
      `${id}: workers still hold items of the job. Try again in a few seconds.`,
    );
  return endedAt;
};

const dropJob = (db: Connection, { number, spec }: Job): void => {
  for (const [name, value] of [["", spec.scraper] as const, ...Object.entries(spec.labels ?? {})])
    db.run("DELETE FROM job_labels WHERE name = ? AND value = ? AND job = ?", name, value, number);
  db.run("DELETE FROM jobs WHERE number = ?", number);
  addWorkSums(db, { "removed jobs": 1 });
};

const advance = (db: Connection, job: string): "ledger" | "bytes" | "nothing" => {
  const removal = removalRow(db, job);
  switch (removal?.step) {
    case "fresh":
      if (!forgetFresh(db, removal)) enter(db, job, "fresh", "lend");
      return "ledger";
    case "lend":
      if (noteLent(db, removal)) return "ledger";
      enter(db, job, "lend", "bytes");
      return "bytes";
    case "bytes":
      return "bytes";
    case "rows":
      if (dropRows(db, removal)) return "ledger";
      endRemoval(db, removal);
      return "nothing";
    case null:
    case undefined:
      return "nothing";
  }
};

/** Only from the step before: another process may have come further. */
const enter = (
  db: Connection,
  job: string,
  from: RemovalRow["step"],
  to: NonNullable<RemovalRow["step"]>,
): void => {
  db.run("UPDATE removals SET step = ?, queue = 0, seq = 0 WHERE id = ? AND step = ?", to, job, from);
};
