import type { Change, ChangeCounts } from "../../model/freshness.ts";
import type { Database } from "./database.ts";

export const countChange = (db: Database, job: string, change: Change): void => {
  db.run(
    "INSERT INTO job_changes (job, change, count) VALUES (?, ?, 1) ON CONFLICT (job, change) DO UPDATE SET count = count + 1",
    job,
    change,
  );
};

export const readChanges = (db: Database, job: string): ChangeCounts => {
  const rows = db.all<{ change: Change; count: number }>(
    "SELECT change, count FROM job_changes WHERE job = ?",
    job,
  );
  const none = { new: 0, changed: 0, unchanged: 0, gone: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ change, count }) => [change, count])) };
};
