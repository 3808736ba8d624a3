import type { Database } from "./database.ts";

const one = (db: Database, sql: string, client: string): number => db.get<{ n: number }>(sql, client)!.n;

/** By the index of states: those that have ended may be very many. */
export const countOpenJobs = async (db: Database, client: string): Promise<number> =>
  await db.read(() =>
    one(
      db,
      `SELECT count(*) AS n FROM jobs INDEXED BY jobs_state
       WHERE state IN ('loading', 'running', 'paused') AND client = ?`,
      client,
    ),
  );

export const countKeptBytes = async (db: Database, client: string): Promise<number> =>
  await db.read(() =>
    one(
      db,
      `SELECT coalesce(sum(bytes), 0) AS n FROM jobs
       WHERE client = ? AND number NOT IN (SELECT number FROM removals)`,
      client,
    ),
  );
