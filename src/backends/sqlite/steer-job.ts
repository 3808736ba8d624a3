import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { releaseQueue } from "./hold-queue.ts";
import { jobRow, type JobRow } from "./job-row.ts";
import type { QueueRow } from "./queue-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { writeEvent } from "./write-event.ts";

export const steerJob = async (db: Database, id: string, to: "pause" | "resume" | "cancel"): Promise<void> =>
  await db.write(() => {
    const job = jobRow(db, id);
    if (job.state === "cancelled" || (job.state === "done" && to !== "resume"))
      throw new LedgerError("job-ended", `${id}: the job has ended (${job.state}) and cannot be steered.`);
    switch (to) {
      case "pause":
        if (job.state === "paused") return;
        stopQueues(db, job);
        db.run("UPDATE jobs SET state = 'paused' WHERE number = ?", job.number);
        writeEvent(db, "job.paused", id, { reason: "asked for" });
        return;
      case "resume":
        if (job.state === "done") return;
        db.run(
          "UPDATE jobs SET state = CASE sealed WHEN 1 THEN 'running' ELSE 'loading' END WHERE number = ?",
          job.number,
        );
        for (const queue of db.all<QueueRow>("SELECT * FROM queues WHERE job = ?", job.number))
          releaseQueue(db, queue);
        writeEvent(db, "job.resumed", id);
        return;
      case "cancel":
        cancel(db, job);
        writeEvent(db, "job.cancelled", id);
        return;
      default:
        to satisfies never;
    }
  });

const stopQueues = (db: Database, job: JobRow): void => {
  db.run("UPDATE queues SET claimable = 0, probing = 0 WHERE job = ?", job.number);
  for (const { lane } of db.all<{ lane: number }>("SELECT lane FROM queues WHERE job = ?", job.number))
    refreshLane(db, lane);
};

/** Items are not written one by one: in a cancelled job, one that had not ended reads as cancelled. */
const cancel = (db: Database, job: JobRow): void => {
  stopQueues(db, job);
  db.run("DELETE FROM leases WHERE queue IN (SELECT id FROM queues WHERE job = ?)", job.number);
  db.run("DELETE FROM suspects WHERE queue IN (SELECT id FROM queues WHERE job = ?)", job.number);
  db.run("UPDATE queues SET open = 0, ready_at = NULL, probe_at = NULL WHERE job = ?", job.number);
  db.run(
    `UPDATE jobs SET state = 'cancelled', sealed = 1, ended_at = ?, waiting = 0,
       cancelled = accepted - done - absent - failed - skipped WHERE number = ?`,
    db.now(),
    job.number,
  );
};
