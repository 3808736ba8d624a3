import type { JobView } from "../../model/job.ts";
import type { JobQuery } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { type JobRow, jobRow } from "./job-row.ts";
import { jobView } from "./read-job.ts";

/** Also of a job that was removed since the page before. */
const numberOf = (db: Database, id: string): number =>
  db.get<{ number: number }>("SELECT number FROM removals WHERE id = ?", id)?.number ?? jobRow(db, id).number;

const ALL: JobQuery = { limit: 200 };

export const listJobs = async (db: Database, query = ALL): Promise<JobView[]> =>
  await db.read(() => {
    const { client, states, scraper, label, endedSince, endedBefore, after, limit } = query;
    const parts: [isAsked: boolean, condition: string, values: readonly (string | number)[]][] = [
      [client !== undefined, "j.client = ?", [client ?? ""]],
      [scraper !== undefined, "j.scraper = ?", [scraper ?? ""]],
      [states !== undefined, "j.state IN (SELECT value FROM json_each(?))", [JSON.stringify(states)]],
      [
        label !== undefined,
        "j.number IN (SELECT job FROM job_labels WHERE name = ? AND value = ?)",
        [label?.[0] ?? "", label?.[1] ?? ""],
      ],
      // By its index: in the order of jobs, all that ever were would be looked at for the few that ended lately.
      [
        endedSince !== undefined,
        "j.number IN (SELECT number FROM jobs INDEXED BY jobs_ended WHERE ended_at >= ?)",
        [endedSince ?? 0],
      ],
      [
        endedBefore !== undefined,
        "j.number IN (SELECT number FROM jobs INDEXED BY jobs_ended WHERE ended_at IS NOT NULL AND ended_at < ?)",
        [endedBefore ?? 0],
      ],
    ];
    const asked = parts.filter(([isAsked]) => isAsked);
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : numberOf(db, after);
    const where = asked.map(([, condition]) => `AND ${condition}`).join(" ");
    return db
      .all<JobRow>(
        `SELECT j.* FROM jobs j WHERE j.number < ? ${where} ORDER BY j.number DESC LIMIT ?`,
        before,
        ...asked.flatMap(([, , values]) => values),
        limit,
      )
      .map((row) => jobView(db, row));
  });
