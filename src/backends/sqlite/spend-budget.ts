import type { Failure } from "../../model/failure.ts";
import type { Budget } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { forgetFollowers } from "./fresh-notes.ts";
import { type JobRow, readSpec } from "./job-row.ts";
import { refreshLanesOf } from "./refresh-lane.ts";
import { writeEvent } from "./write-event.ts";

export const OVER_BUDGET: Failure = {
  kind: "budget",
  detail: "the job's budget was spent before its turn came",
};

/**
 * Items are not written one by one: in a job whose budget is spent, one that has neither ended nor is in somebody's hands reads as failed. Those
 * in hand end as they do, or fail when they come back: what their requests under way cost is all that goes over the budget.
 */
export const spendBudget = (db: Database, job: JobRow, budget: Budget): void => {
  const isSpent = job.requests >= (budget.requests ?? Infinity) || job.bytes >= (budget.bytes ?? Infinity);
  // What was left of a cancelled job is counted as cancelled already.
  if (!isSpent || job.spent_at !== null || job.ended_at !== null || job.state === "cancelled") return;
  const { number, accepted, leased, done, absent, failed, skipped, cancelled } = job;
  const left = accepted - leased - done - absent - failed - skipped - cancelled;
  setSuspectsAside(db, number);
  onlyInHand(db, number);
  db.run(
    `UPDATE jobs SET spent_at = ?, sealed = 1, state = CASE state WHEN 'loading' THEN 'running' ELSE state END,
       waiting = 0 WHERE number = ?`,
    db.now(),
    number,
  );
  refreshLanesOf(db, number);
  forgetFollowers(db, number);
  failLeft(db, job, left);
};

/** Nothing more of the job is handed out: only what is leased is still open. */
export const onlyInHand = (db: Database, job: number): void => {
  db.run(
    `UPDATE queues SET claimable = 0, probing = 0, probe_at = NULL, ready_at = NULL,
       open = (SELECT coalesce(sum(l.open), 0) FROM leases l WHERE l.queue = queues.id) WHERE job = ?`,
    job,
  );
};

/** So many items that are not written one by one. */
const failLeft = (db: Database, job: JobRow, left: number): void => {
  if (left === 0) return;
  const { number, spec, requests, bytes } = job;
  const { budget } = readSpec(spec);
  db.run("UPDATE jobs SET failed = failed + ? WHERE number = ?", left, number);
  db.run(
    `INSERT INTO job_failures (job, kind, final, attempts, example_key, example_detail) VALUES (?, 'budget', ?, 0, '', ?)
     ON CONFLICT (job, kind) DO UPDATE SET final = final + excluded.final`,
    number,
    left,
    OVER_BUDGET.detail,
  );
  writeEvent(db, "item.failed", job.id, {
    count: left,
    kinds: { budget: left },
    items: [],
    spent: { requests, bytes },
    budget,
  });
};

/** With a due time, as all others that come to their end without being written. */
export const setSuspectsAside = (db: Database, job: number): void => {
  const mine = "in_hand = 0 AND queue IN (SELECT id FROM queues WHERE job = ?)";
  for (const { queue, seq } of db.all<{ queue: number; seq: number }>(
    `SELECT queue, seq FROM suspects WHERE ${mine}`,
    job,
  ))
    db.run("UPDATE items SET suspect = 0, due_at = ? WHERE queue = ? AND seq = ?", db.now(), queue, seq);
  db.run(`DELETE FROM suspects WHERE ${mine}`, job);
};
