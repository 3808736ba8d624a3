import type { Database } from "./database.ts";
import type { Pause } from "../../model/job.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { forgetOwnSlots } from "./own-pace.ts";
import { writeEvent } from "./write-event.ts";

/**
 * A sealed job is done with its last item; what its lanes are used to is kept for the next job of the scraper. A cancelled one has ended when
 * what was leased has come back.
 */
export const endJobWhenDone = (db: Database, number: number): void => {
  const job = db.get<JobRow>("SELECT * FROM jobs WHERE number = ?", number)!;
  const ended = job.done + job.absent + job.failed + job.skipped + job.cancelled;
  if (job.sealed === 0 || ended < job.accepted || job.ended_at !== null) return;
  forgetOwnSlots(db, number);
  if (job.state === "cancelled") {
    const { reason } = JSON.parse(job.paused!) as Pause;
    db.run("UPDATE jobs SET ended_at = ? WHERE number = ?", db.now(), number);
    writeEvent(db, "job.cancelled", job.id, { reason });
    return;
  }
  const spec = readSpec(job.spec);
  db.run("UPDATE jobs SET state = 'done', ended_at = ? WHERE number = ?", db.now(), number);
  db.run(
    `INSERT OR REPLACE INTO baselines (scraper, lane, breaker)
     SELECT ?, lane, breaker FROM queues WHERE job = ? AND breaker IS NOT NULL`,
    spec.scraper,
    number,
  );
  const { done, absent, failed, skipped, capped } = job;
  const facts = { done, absent, failed, skipped, ...(capped > 0 && { capped }) };
  writeEvent(db, "job.completed", job.id, facts);
  if (spec.isBatch) writeEvent(db, "batch.completed", job.id, facts);
};
