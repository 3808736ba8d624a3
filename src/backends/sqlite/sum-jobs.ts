import type { FailureKind } from "../../model/failure.ts";
import type { JobSums } from "../../model/job.ts";
import { FIELD_STATUSES } from "../../model/record.ts";
import type { OpenJobs } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import type { JobRow } from "./job-row.ts";

const OPEN = "state IN ('loading', 'running', 'paused')";

const SUMMED = [
  "received",
  "accepted",
  "folded",
  "rejected",
  "capped",
  "leased",
  "waiting",
  "done",
  "absent",
  "failed",
  "skipped",
  "cancelled",
  "partial",
  "requests",
  "bytes",
] as const satisfies readonly (keyof JobRow)[];

type SumRow = Pick<JobRow, "state" | (typeof SUMMED)[number]> & { readonly jobs: number };

/** By a fixed number of statements, so that thousands of open jobs cost little more than a few. */
export const sumOpenJobs = async (db: Database): Promise<OpenJobs> =>
  await db.read(() => {
    const rows = db.all<SumRow>(
      `SELECT state, count(*) AS jobs, ${SUMMED.map((name) => `sum(${name}) AS ${name}`).join(", ")}
       FROM jobs WHERE ${OPEN} GROUP BY state`,
    );
    return {
      ids: db.all<{ id: string }>(`SELECT id FROM jobs WHERE ${OPEN}`).map(({ id }) => id),
      sums: rows.map((row) => sumsOf(db, row)),
    };
  });

const sumsOf = (db: Database, row: SumRow): JobSums => {
  const { state, jobs, leased, waiting, done, absent, failed, skipped, cancelled } = row;
  const { received, accepted, folded, rejected, capped, partial, requests, bytes } = row;
  const queued = accepted - leased - waiting - done - absent - failed - skipped - cancelled;
  const failures = db.all<{ kind: FailureKind; final: number; attempts: number }>(
    `SELECT f.kind, sum(f.final) AS final, sum(f.attempts) AS attempts FROM jobs j JOIN job_failures f ON f.job = j.number
     WHERE j.state = ? GROUP BY f.kind`,
    state,
  );
  const fields = db.all<{ status: number; n: number }>(
    `SELECT f.key % ${FIELD_STATUSES.length} AS status, sum(f.value) AS n FROM jobs j JOIN json_each(j.field_counts) f
     WHERE j.state = ? AND j.done + j.failed > 0 AND f.value > 0 GROUP BY 1`,
    state,
  );
  const held = db.get<{ n: number }>(
    "SELECT count(*) AS n FROM queues q JOIN jobs j ON j.number = q.job WHERE q.held IS NOT NULL AND j.state = ? AND j.ended_at IS NULL",
    state,
  )!.n;
  return {
    jobs,
    state,
    counts: {
      received,
      accepted,
      folded,
      rejected,
      capped,
      states: { queued, leased, waiting, done, absent, failed, skipped, cancelled },
    },
    failures: failures.map(({ kind, final }) => ({ kind, count: final })),
    attemptFailures: Object.fromEntries(failures.map(({ kind, attempts }) => [kind, attempts])),
    fieldCounts: FIELD_STATUSES.map((_, at) => fields.find(({ status }) => status === at)?.n ?? 0),
    partial,
    requests,
    bytes,
    held,
  };
};
