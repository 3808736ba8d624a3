import type { FailureKind } from "../../model/failure.ts";
import type { HeldLane, JobView, LaneView, RejectedInput } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { type JobRow, jobRow, readSpec } from "./job-row.ts";
import { intervalMs, type LaneRow, laneSpeed } from "./lane-row.ts";

interface FailureRow {
  readonly kind: FailureKind;
  readonly final: number;
  readonly attempts: number;
  readonly example_key: string;
  readonly example_detail: string;
}

export const readJob = async (db: Database, id: string): Promise<JobView | undefined> =>
  await db.read(() => {
    const row = db.get<JobRow>("SELECT * FROM jobs WHERE id = ?", id);
    return row && view(db, row);
  });

export const listJobs = async (db: Database): Promise<JobView[]> =>
  await db.read(() =>
    db.all<JobRow>("SELECT * FROM jobs ORDER BY number DESC LIMIT 200").map((row) => view(db, row)),
  );

const view = (db: Database, row: JobRow): JobView => {
  const leased = db.get<{ n: number }>(
    "SELECT coalesce(sum(open), 0) AS n FROM leases WHERE queue IN (SELECT id FROM queues WHERE job = ?)",
    row.number,
  )!.n;
  const { waiting, done, absent, failed, skipped, cancelled, accepted } = row;
  const queued = accepted - leased - waiting - done - absent - failed - skipped - cancelled;
  const failures = db.all<FailureRow>(
    "SELECT * FROM job_failures WHERE job = ? ORDER BY final DESC, attempts DESC",
    row.number,
  );
  return {
    spec: readSpec(row.spec),
    state: row.state,
    isSealed: row.sealed === 1,
    createdAt: row.created_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    counts: {
      received: row.received,
      accepted,
      folded: row.folded,
      rejected: row.rejected,
      capped: row.capped,
      states: { queued, leased, waiting, done, absent, failed, skipped, cancelled },
    },
    tooDeep: row.too_deep,
    partial: row.partial,
    failures: failures
      .filter((failure) => failure.final > 0)
      .map((failure) => ({
        kind: failure.kind,
        count: failure.final,
        exampleKey: failure.example_key,
        exampleDetail: failure.example_detail,
      })),
    attemptFailures: Object.fromEntries(failures.map((failure) => [failure.kind, failure.attempts])),
    fieldCounts: JSON.parse(row.field_counts) as number[],
    held: heldLanes(db, row.number),
    rejects: JSON.parse(row.rejects) as RejectedInput[],
    requests: row.requests,
    bytes: row.bytes,
  };
};

const heldLanes = (db: Database, job: number): HeldLane[] =>
  db
    .all<{ lane: string; held: string; held_at: number; probe_at: number | null }>(
      `SELECT l.name AS lane, q.held, q.held_at, q.probe_at FROM queues q JOIN lanes l ON l.id = q.lane
       WHERE q.job = ? AND q.held IS NOT NULL`,
      job,
    )
    .map(({ lane, held, held_at, probe_at }) => {
      const evidence = JSON.parse(held) as { reason: string };
      const probe = probe_at === null ? {} : { probeAt: probe_at };
      return { lane, reason: evidence.reason, evidence, heldAt: held_at, ...probe };
    });

export const listLanes = async (db: Database, id: string): Promise<LaneView[]> =>
  await db.read(() => {
    const now = db.now();
    return db
      .all<LaneRow>(
        `SELECT l.* FROM queues q JOIN lanes l ON l.id = q.lane
         WHERE q.job = ? ORDER BY l.hold_until > ? DESC, coalesce(l.speed ->> 'factor', 1), l.name LIMIT 200`,
        jobRow(db, id).number,
        now,
      )
      .map((lane) => {
        const { factor } = laneSpeed(lane);
        const interval = intervalMs(db, lane);
        const hold = lane.hold_until > now && lane.hold_reason ? { holdReason: lane.hold_reason } : {};
        return {
          lane: lane.name,
          perSecond: interval === 0 ? Infinity : 1000 / interval,
          factor,
          holdMs: Math.max(0, lane.hold_until - now),
          ...hold,
        };
      });
  });
