import type { Database } from "./database.ts";
import { endJobWhenDone } from "./end-job.ts";
import { jobRow } from "./job-row.ts";

export const sealJob = async (db: Database, id: string): Promise<void> =>
  await db.write(() => {
    const job = jobRow(db, id);
    db.run(
      "UPDATE jobs SET sealed = 1, state = CASE state WHEN 'loading' THEN 'running' ELSE state END WHERE number = ?",
      job.number,
    );
    endJobWhenDone(db, job.number);
  });
