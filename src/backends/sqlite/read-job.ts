import type { FailureKind } from "../../model/failure.ts";
import type { HeldLane, JobView, Pause, RejectedInput } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { exampleItems } from "./example-items.ts";
import { readChanges } from "./job-changes.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { jobSum, specSum } from "./row-sums.ts";

interface FailureRow {
  readonly kind: FailureKind;
  readonly final: number;
  readonly attempts: number;
  readonly example_key: string;
  readonly example_detail: string;
}

interface HeldRow {
  readonly id: number;
  readonly lane: string;
  readonly held: string;
  readonly held_at: number;
  readonly probe_at: number | null;
}

export const readJob = async (db: Database, id: string): Promise<JobView | undefined> =>
  await db.read(() => {
    const row = db.get<JobRow>("SELECT * FROM jobs WHERE id = ?", id);
    if (row) mustFitSums(db, row);
    return row && jobView(db, row);
  });

const mustFitSums = (db: Database, row: JobRow): void => {
  const { number, id } = row;
  const sums = db.get<{ counts: number | null; spec: number | null }>(
    "SELECT counts, spec FROM job_sums WHERE job = ?",
    number,
  );
  if (!sums) return; // an older version wrote it
  const counts = jobSum((sql) => db.sql(sql), number);
  const spec = specSum(number, row.spec);
  const wrong = (sums.counts ?? counts) !== counts || (sums.spec ?? spec) !== spec;
  if (wrong)
    throw new LedgerError(
      "damaged-row",
      `${id}: what the ledger has of this job is damaged. \`sluice fsck\` tells what; restore the ledger from a backup, or run \`sluice fsck --repair\`.`,
    );
};

/** From counters alone: it costs the same however many items and lanes a job has. */
export const jobView = (db: Database, row: JobRow): JobView => {
  const { leased, waiting, done, absent, failed, skipped, cancelled, accepted } = row;
  const queued = accepted - leased - waiting - done - absent - failed - skipped - cancelled;
  const failures = db.all<FailureRow>(
    "SELECT * FROM job_failures WHERE job = ? ORDER BY final DESC, attempts DESC",
    row.number,
  );
  const spec = readSpec(row.spec);
  return {
    spec,
    state: row.state,
    isSealed: row.sealed === 1,
    createdAt: row.created_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.state === "paused" && row.paused !== null && { paused: JSON.parse(row.paused) as Pause }),
    ...(row.reopened_at === null ? {} : { reopenedAt: row.reopened_at }),
    ...(row.spent_at === null ? {} : { budgetSpentAt: row.spent_at }),
    counts: {
      received: row.received,
      accepted,
      folded: row.folded,
      rejected: row.rejected,
      capped: row.capped,
      states: { queued, leased, waiting, done, absent, failed, skipped, cancelled },
    },
    cappedBy: cappedBy(row),
    partial: row.partial,
    failures: failures
      .filter((failure) => failure.final > 0)
      .map((failure) => ({
        kind: failure.kind,
        count: failure.final,
        exampleKey: failure.example_key,
        exampleDetail: failure.example_detail,
      })),
    attemptFailures: Object.fromEntries(
      failures.filter(({ attempts }) => attempts > 0).map(({ kind, attempts }) => [kind, attempts]),
    ),
    fieldCounts: JSON.parse(row.field_counts) as number[],
    // A queue keeps its hold for evidence; nobody is waited for once the job has ended.
    held: row.ended_at === null && row.state !== "cancelled" ? heldLanes(db, row.number) : [],
    rejects: JSON.parse(row.rejects) as RejectedInput[],
    requests: row.requests,
    bytes: row.bytes,
    ...pagesRemoved(db, row.number),
    ...(spec.freshness && { changes: readChanges(db, row.id) }),
  };
};

const cappedBy = (row: JobRow): JobView["cappedBy"] => ({
  items: row.capped - row.too_deep - row.capped_chain - row.capped_budget - row.capped_quota,
  depth: row.too_deep,
  chain: row.capped_chain,
  budget: row.capped_budget,
  quota: row.capped_quota,
});

const pagesRemoved = (db: Database, job: number): Pick<JobView, "pagesRemoved"> => {
  const row = db.get<{ at: number; captures: number; bytes: number }>(
    "SELECT marked_at AS at, captures, bytes FROM removals WHERE number = ?",
    job,
  );
  return row ? { pagesRemoved: { ...row } } : {};
};

/** Held lanes that are shown with their evidence. */
const MOST_HELD = 200;

const heldLanes = (db: Database, job: number): HeldLane[] =>
  db
    .all<HeldRow>(
      `SELECT q.id, l.name AS lane, q.held, q.held_at, q.probe_at FROM queues q JOIN lanes l ON l.id = q.lane
       WHERE q.job = ? AND q.held IS NOT NULL ORDER BY q.id LIMIT ${MOST_HELD}`,
      job,
    )
    .map(({ id, lane, held, held_at, probe_at }) => {
      const evidence = JSON.parse(held) as HeldEvidence;
      const probe = probe_at === null ? {} : { probeAt: probe_at };
      // Outcomes are told before their pages are kept: only now may there be something to show.
      const examples = evidence.examples?.length ? evidence.examples : exampleItems(db, id, evidence.chart);
      return {
        lane,
        reason: evidence.reason,
        evidence: { ...evidence, examples },
        heldAt: held_at,
        ...probe,
      };
    });

interface HeldEvidence {
  readonly reason: string;
  readonly chart: string;
  readonly examples?: readonly unknown[];
}
