import type { Database } from "./database.ts";
import type { JobRow } from "./job-row.ts";
import { cancelJob } from "./steer-job.ts";

/** Jobs whose deadline has passed, each in a transaction of its own. */
export const cancelOverdue = async (db: Database): Promise<void> => {
  const overdue = (): JobRow | undefined =>
    db.get<JobRow>(
      "SELECT * FROM jobs WHERE deadline_at IS NOT NULL AND ended_at IS NULL AND state <> 'cancelled' AND deadline_at <= ? ORDER BY deadline_at LIMIT 1",
      db.now(),
    );
  while (overdue())
    await db.write(() => {
      // Another process may have been first.
      const job = overdue();
      if (job) cancelJob(db, job, { cause: "asked", reason: "deadline" });
    });
};
