import { LedgerError } from "../../ports/ledger.ts";
import type { ItemRef } from "../../model/item.ts";
import type { Pause, PauseReason } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { forgetFollowers, leaveFresh } from "./fresh-notes.ts";
import { releaseQueue } from "./hold-queue.ts";
import { endJobWhenDone } from "./end-job.ts";
import { jobRow, type JobRow, pauseText, readSpec } from "./job-row.ts";
import { waitForReading } from "./new-version.ts";
import type { QueueRow } from "./queue-row.ts";
import { refreshLanesOf } from "./refresh-lane.ts";
import { failLeft, setSuspectsAside } from "./spend-budget.ts";
import { forgetStops, rememberHolders } from "./stops.ts";
import { writeEvent } from "./write-event.ts";

const ASKED: PauseReason = { cause: "asked", reason: "asked for" };

export const steerJob = async (
  db: Database,
  id: string,
  to: "pause" | "resume" | "cancel",
  why: PauseReason = ASKED,
): Promise<void> =>
  await db.write(() => {
    const job = jobRow(db, id);
    if (job.state === "cancelled" || (job.state === "done" && to !== "resume"))
      throw new LedgerError("job-ended", `${id}: the job has ended (${job.state}) and cannot be steered.`);
    switch (to) {
      case "pause":
        // What keeps its stored pages from being read takes the place of the reading itself.
        if (job.state === "paused" && !(isReading(job) && why !== ASKED)) return;
        stopQueues(db, job.number);
        db.run(
          "UPDATE jobs SET state = 'paused', paused = ? WHERE number = ?",
          pauseText(db, why),
          job.number,
        );
        writeEvent(db, "job.paused", id, { ...why });
        return;
      case "resume":
        if (job.state === "done") return;
        if (readSpec(job.spec).isAmending) return waitForReading(db, job);
        resume(db, job);
        writeEvent(db, "job.resumed", id);
        endJobWhenDone(db, job.number);
        return;
      case "cancel":
        cancelJob(db, job, why.reason);
        return;
      default:
        to satisfies never;
    }
  });

const isReading = ({ spec, paused }: JobRow): boolean =>
  readSpec(spec).isAmending === true &&
  paused !== null &&
  (JSON.parse(paused) as Pause).cause === "new-version";

const stopQueues = (db: Database, job: number): void => {
  rememberHolders(db, job);
  db.run("UPDATE queues SET claimable = 0, probing = 0 WHERE job = ?", job);
  refreshLanesOf(db, job);
};

const resume = (db: Database, job: JobRow): void => {
  db.run(
    "UPDATE jobs SET state = CASE sealed WHEN 1 THEN 'running' ELSE 'loading' END, paused = NULL WHERE number = ?",
    job.number,
  );
  forgetStops(db, job.number);
  // What a spent budget left is in hand, and nothing more will be.
  if (job.spent_at === null) openQueues(db, job.number);
};

/** All of a job's queues go on, also those that the breaker has held. */
export const openQueues = (db: Database, job: number): void => {
  for (const queue of db.all<QueueRow>(
    "SELECT * FROM queues WHERE job = ? AND (held IS NOT NULL OR doubtful = 1)",
    job,
  ))
    releaseQueue(db, queue);
  db.run("UPDATE queues SET claimable = 1 WHERE job = ? AND claimable = 0", job);
  refreshLanesOf(db, job);
};

/**
 * Items are not written one by one: in a cancelled job, one that had not ended reads as cancelled. Where the budget was spent before, those in
 * hand fail as they would have had they come back.
 */
export const cancelJob = (db: Database, job: JobRow, reason: string): void => {
  stopQueues(db, job.number);
  setLeasedAside(db, job.number);
  forgetFollowers(db, job.number);
  db.run("DELETE FROM leases WHERE queue IN (SELECT id FROM queues WHERE job = ?)", job.number);
  db.run("UPDATE suspects SET in_hand = 0 WHERE queue IN (SELECT id FROM queues WHERE job = ?)", job.number);
  setSuspectsAside(db, job.number);
  db.run("UPDATE queues SET open = 0, ready_at = NULL, probe_at = NULL WHERE job = ?", job.number);
  if (job.spent_at !== null) failLeft(db, job, job.leased);
  db.run(
    `UPDATE jobs SET state = 'cancelled', sealed = 1, ended_at = ?, waiting = 0, leased = 0,
       cancelled = accepted - done - absent - failed - skipped WHERE number = ?`,
    db.now(),
    job.number,
  );
  writeEvent(db, "job.cancelled", job.id, { reason });
};

/** A due time, by which they are found again. */
const setLeasedAside = (db: Database, job: number): void => {
  const leased = db.all<ItemRef>(
    `SELECT i.queue, i.seq FROM queues q JOIN leases l ON l.queue = q.id JOIN items i ON i.queue = l.queue AND i.seq BETWEEN l.lo AND l.hi
     WHERE q.job = ? AND i.state = 0 AND i.due_at IS NULL AND i.suspect = 0`,
    job,
  );
  for (const { queue, seq } of leased)
    db.run("UPDATE items SET due_at = ? WHERE queue = ? AND seq = ?", db.now(), queue, seq);
  leaveFresh(db, leased);
};
