import type { Database } from "./database.ts";
import { jobRow } from "./job-row.ts";

/** A pulse comes within this. */
const AGAIN_MS = 100;

/** Call before a job's queues stop or their leases end: whoever has items of it must hear that they have. */
export const rememberHolders = (db: Database, job: number): void => {
  db.run(
    `INSERT OR REPLACE INTO stops (job, queue, worker)
     SELECT DISTINCT q.job, q.id, l.worker FROM queues q JOIN leases l ON l.queue = q.id WHERE q.job = ?`,
    job,
  );
};

/** The same for one queue that is held. */
export const rememberHoldersOf = (db: Database, job: number, queue: number): void => {
  db.run(
    "INSERT OR REPLACE INTO stops (job, queue, worker) SELECT DISTINCT ?, queue, worker FROM leases WHERE queue = ?",
    job,
    queue,
  );
};

/** The job goes on, or one of its queues does. */
export const forgetStops = (db: Database, job: number, queue: number | null = null): void => {
  db.run("DELETE FROM stops WHERE job = ?1 AND (?2 IS NULL OR queue = ?2)", job, queue);
};

/**
 * What this worker's pulse has to say: the queues that have stopped with items in its hands, whether or not it named them. That an answer
 * was heard is known only from the next pulse, which is not sent before.
 */
export const tellStops = (db: Database, worker: string): number[] => {
  const queues = db
    .all<{ queue: number }>("SELECT queue FROM stops WHERE worker = ?", worker)
    .map(({ queue }) => queue);
  if (queues.length === 0) return [];
  db.run("DELETE FROM stops WHERE worker = ? AND told = 1", worker);
  db.run("UPDATE stops SET told = 1 WHERE worker = ?", worker);
  return queues;
};

/** Whether every worker that had a part in what has stopped knows of it, or is given up. */
export const isStopHeard = (db: Database, job: number): boolean =>
  !db.get(
    "SELECT 1 FROM stops s JOIN workers w ON w.name = s.worker WHERE s.job = ? AND w.until >= ? LIMIT 1",
    job,
    db.now(),
  );

export const isQuiet = async (
  db: Database,
  id: string,
): Promise<{ quiet: true } | { quiet: false; againInMs: number }> =>
  await db.read(() => {
    const { number, state } = jobRow(db, id);
    const isGoing = state === "loading" || state === "running";
    return !isGoing && isStopHeard(db, number) ? { quiet: true } : { quiet: false, againInMs: AGAIN_MS };
  });
