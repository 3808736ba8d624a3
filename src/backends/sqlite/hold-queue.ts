import { coolDownMs } from "../../model/breaker.ts";
import { type BreakerState, reset } from "../../model/breaker-state.ts";
import type { Evidence } from "../../model/breaker-evidence.ts";
import type { PauseReason } from "../../model/job.ts";
import type { Database } from "./database.ts";
import { exampleItems } from "./example-items.ts";
import { pauseText } from "./job-row.ts";
import { queueRow, setClaimable, type QueueRow } from "./queue-row.ts";
import { refreshLane } from "./refresh-lane.ts";
import { forgetStops, rememberHoldersOf } from "./stops.ts";
import { writeEvent } from "./write-event.ts";

/** Five probes take half an hour. A site that has not healed by then needs a person, and nobody should wait for it. */
const MAX_PROBES = 5;

const nextProbeAt = (now: number, trips: number): number | null =>
  trips > MAX_PROBES ? null : now + coolDownMs(trips);

/** The breaker has tripped: this job's part of the lane stops, with the evidence; others go on. */
export const holdQueue = (db: Database, queue: QueueRow, tripped: Evidence): void => {
  const now = db.now();
  const evidence = { ...tripped, examples: exampleItems(db, queue.id, tripped.chart) };
  rememberHoldersOf(db, queue.job, queue.id);
  db.run(
    `UPDATE queues SET claimable = 0, held = ?, held_at = ?, probe_at = ?, probing = 0, trips = trips + 1 WHERE id = ?`,
    JSON.stringify(evidence),
    now,
    evidence.heals ? nextProbeAt(now, queue.trips + 1) : null,
    queue.id,
  );
  refreshLane(db, queue.lane);
  const job = namesOf(db, queue);
  writeEvent(db, "lane.held", job.id, { lane: job.lane, evidence });
  pauseWhenAllHeld(db, queue.job, job.id);
};

/** Held lanes that one event tells of, with their evidence. */
const MOST_TOLD = 10;
const ALL_HELD: PauseReason = { cause: "lanes-held", reason: "all of its lanes are held" };

/** A job none of whose lanes can go on without a person is paused, so that nobody waits for it. */
const pauseWhenAllHeld = (db: Database, job: number, id: string): void => {
  const going = db.get(
    "SELECT 1 FROM queues WHERE job = ? AND open > 0 AND (held IS NULL OR probe_at IS NOT NULL) LIMIT 1",
    job,
  );
  if (going) return;
  const isPaused = db.run(
    "UPDATE jobs SET state = 'paused', paused = ? WHERE number = ? AND state IN ('loading', 'running')",
    pauseText(db, ALL_HELD),
    job,
  );
  if (!isPaused) return;
  const held = db
    .all<{ lane: string; held: string }>(
      `SELECT l.name AS lane, q.held FROM queues q JOIN lanes l ON l.id = q.lane
       WHERE q.job = ? AND q.held IS NOT NULL ORDER BY q.held_at DESC LIMIT ${MOST_TOLD}`,
      job,
    )
    .map(({ lane, held: evidence }) => ({ lane, evidence: JSON.parse(evidence) as unknown }));
  writeEvent(db, "job.paused", id, { ...ALL_HELD, held });
};

/** Held lanes that may have healed let a single item through. */
export const openProbes = (db: Database): void => {
  const due = db.all<{ id: number; lane: number }>(
    `SELECT q.id, q.lane FROM queues q INDEXED BY queues_probe CROSS JOIN jobs j ON j.number = q.job
     WHERE q.probe_at IS NOT NULL AND q.probing = 0 AND q.probe_at <= ? AND j.state IN ('loading', 'running')`,
    db.now(),
  );
  for (const { id, lane } of due) {
    db.run("UPDATE queues SET probing = 1, claimable = 1 WHERE id = ?", id);
    refreshLane(db, lane);
  }
};

/** The probe's answer: healed, or another and longer cool-down. */
export const answerProbe = (db: Database, id: number, isHealed: boolean): void => {
  const queue = queueRow(db, id)!;
  if (isHealed) return releaseQueue(db, queue);
  db.run(
    "UPDATE queues SET probing = 0, claimable = 0, probe_at = ?, trips = trips + 1 WHERE id = ?",
    nextProbeAt(db.now(), queue.trips + 1),
    id,
  );
  refreshLane(db, queue.lane);
  const job = db.get<{ id: string }>("SELECT id FROM jobs WHERE number = ?", queue.job)!;
  pauseWhenAllHeld(db, queue.job, job.id);
};

export const releaseQueue = (db: Database, queue: QueueRow): void => {
  const breaker = queue.breaker === null ? null : reset(JSON.parse(queue.breaker) as BreakerState);
  db.run(
    "UPDATE queues SET held = NULL, held_at = NULL, probe_at = NULL, probing = 0, trips = 0, doubtful = 0, breaker = ? WHERE id = ?",
    breaker === null ? null : JSON.stringify(breaker),
    queue.id,
  );
  setClaimable(db, queue.id, true);
  forgetStops(db, queue.job, queue.id);
  refreshLane(db, queue.lane);
  const job = namesOf(db, queue);
  if (queue.held !== null) writeEvent(db, "lane.released", job.id, { lane: job.lane });
};

const namesOf = (db: Database, queue: QueueRow): { readonly id: string; readonly lane: string } =>
  db.get<{ id: string; lane: string }>(
    "SELECT j.id, l.name AS lane FROM jobs j, lanes l WHERE j.number = ? AND l.id = ?",
    queue.job,
    queue.lane,
  )!;
