import type { Job } from "../../../ledger/records.ts";
import { isStopHeard } from "../../../ledger/workers.ts";
import type { Removal, RemovalScope } from "../../../domain/removal.ts";
import { LedgerError } from "../../../ports/ledger.ts";
import type { Removals } from "../../../ports/removals.ts";
import { jobNamed } from "../job-named.ts";
import { all, arrays, count, load, run, type StepEngine, type Steps } from "../steps.ts";
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
import { addWorkSum, type RemovalRow, removalRow, removalViews } from "./removal-row.ts";

export const openRemovals = (db: StepEngine): Removals => ({
  mark: (job, what) => db.write("removals", (now) => markRemoval(now, job, what)),
  read: (job) => db.read(() => readRemoval(job)),
  list: ({ client = null, after = null, limit }) =>
    db.read(function* () {
      const rows = yield* all<RemovalRow>(
        `SELECT * FROM removals WHERE what = 'job' AND (CAST(?1 AS TEXT) IS NULL OR client = ?1)
           AND number < coalesce((SELECT number FROM removals WHERE id = ?2), 9000000000000000) ORDER BY number DESC LIMIT ?3`,
        client,
        after,
        limit,
      );
      return yield* removalViews(rows);
    }),
  open: (limit) =>
    db.read(function* () {
      const text = "SELECT * FROM removals WHERE step IS NOT NULL ORDER BY marked_at LIMIT ?";
      return yield* removalViews(yield* all<RemovalRow>(text, limit));
    }),
  advance: (job) => db.write("removals", (now) => advance(now, job), false),
  release: (job, objects) => db.write("removals", () => releaseObjects(job, objects)),
  endBytes: (job, what) =>
    db.write("removals", function* () {
      // By now, more may be needed than the deleting process knew.
      if ((yield* removalRow(job))?.what === what) yield* enter(job, "bytes", "rows");
    }),
  due: (limit) => db.read((now) => dueSweeps(now, limit)),
  freed: (job) => freedObjects(db, job),
  forget: (job, objects) => forgetObjects(db, job, objects),
  endSweep: (sweep) => db.write("removals", (now) => endSweep(now, sweep)),
});

function* readRemoval(job: string): Steps<Removal | undefined> {
  const row = yield* removalRow(job);
  return row && (yield* removalViews([row]))[0];
}

/** A removed job leaves `jobs` at once: lookups do not find it, however much of it is still to be deleted. */
function* markRemoval(now: number, id: string, what: RemovalScope): Steps<Removal> {
  const before = yield* removalRow(id);
  if (before?.what === "job") return (yield* removalViews([before]))[0]!;
  // Everything below is read after this: nobody changes the job in the meantime.
  yield* arrays("SELECT t.number FROM jobs t WHERE t.id = ? @lock", id);
  const job = yield* jobNamed(id);
  const endedAt = yield* mustHaveEnded(now, job);
  const isMarked = before?.what === what && (before.step !== null || before.marked_at >= endedAt);
  if (before && isMarked) return (yield* removalViews([before]))[0]!;
  yield* run(
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
    now,
  );
  if (what === "job") yield* dropJob(job);
  return (yield* readRemoval(id))!;
}

function* mustHaveEnded(now: number, { id, number, state, endedAt }: Job): Steps<number> {
  if (endedAt === null && state !== "cancelled")
    throw new LedgerError(
      "job-running",
      `${id}: the job has not ended (${state}), so it cannot be removed. Cancel it with \`sluice jobs cancel ${id}\`, or wait until it is done.`,
    );
  const held = yield* count(
    "SELECT CAST(coalesce(sum(leased), 0) AS BIGINT) FROM queues WHERE job = ?",
    number,
  );
  if (endedAt === null || held > 0 || !isStopHeard(yield* load("workers"), number, now))
    throw new LedgerError(
      "job-running",
      `${id}: workers still hold items of the job. Try again in a few seconds.`,
    );
  return endedAt;
}

function* dropJob({ number, spec }: Job): Steps<void> {
  for (const [name, value] of [["", spec.scraper] as const, ...Object.entries(spec.labels ?? {})])
    yield* run("DELETE FROM job_labels WHERE name = ? AND value = ? AND job = ?", name, value, number);
  yield* run("DELETE FROM jobs WHERE number = ?", number);
  yield* run("DELETE FROM failure_times WHERE job = ?", number);
  yield* addWorkSum("removed jobs", 1);
}

function* advance(now: number, job: string): Steps<"ledger" | "bytes" | "nothing"> {
  const removal = yield* removalRow(job);
  switch (removal?.step) {
    case "fresh":
      if (!(yield* forgetFresh(removal))) yield* enter(job, "fresh", "lend");
      return "ledger";
    case "lend":
      if (yield* noteLent(removal)) return "ledger";
      yield* enter(job, "lend", "bytes");
      return "bytes";
    case "bytes":
      return "bytes";
    case "rows":
      if (yield* dropRows(now, removal)) return "ledger";
      yield* endRemoval(removal);
      return "nothing";
    case null:
    case undefined:
      return "nothing";
  }
}

/** Only from the previous step: another process may be further. */
const enter = (
  job: string,
  from: NonNullable<RemovalRow["step"]>,
  to: NonNullable<RemovalRow["step"]>,
): Steps<number> =>
  run("UPDATE removals SET step = ?, queue = 0, seq = 0 WHERE id = ? AND step = ?", to, job, from);
