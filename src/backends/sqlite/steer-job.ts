import { LedgerError } from "../../ports/ledger.ts";
import type { Pause, PauseReason } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { endJobWhenDone } from "./end-job.ts";
import { forgetFollowers } from "./fresh-notes.ts";
import { releaseQueue } from "./hold-queue.ts";
import { jobRow, type JobRow, pauseText, readSpec } from "./job-row.ts";
import { waitForReading } from "./new-version.ts";
import type { QueueRow } from "./queue-row.ts";
import { refreshLanesOf } from "./refresh-lane.ts";
import { onlyInHand, setSuspectsAside } from "./spend-budget.ts";
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
        cancelJob(db, job, why);
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
 * Items are not written one by one: in a cancelled job, one that has neither ended nor is leased reads as cancelled. Leased items were
 * perhaps fetched already: they end as they do, or are cancelled when they come back. The job has ended when none is left.
 */
export const cancelJob = (db: Database, job: JobRow, why: PauseReason): void => {
  stopQueues(db, job.number);
  forgetFollowers(db, job.number);
  setSuspectsAside(db, job.number);
  onlyInHand(db, job.number);
  db.run(
    `UPDATE jobs SET state = 'cancelled', sealed = 1, paused = ?, waiting = 0,
       cancelled = accepted - done - absent - failed - skipped - leased WHERE number = ?`,
    pauseText(db, why),
    job.number,
  );
  endJobWhenDone(db, job.number);
};
