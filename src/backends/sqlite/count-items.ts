import type { SQLInputValue } from "node:sqlite";
import { Database } from "./database.ts";
import { leftAs } from "./item-state.ts";
import { jobRow, type JobRow } from "./job-row.ts";

/** What a job's counters must be, by its items. */
export interface CountedItems {
  readonly counters: Readonly<
    Record<
      "accepted" | "done" | "absent" | "failed" | "skipped" | "cancelled" | "waiting" | "leased" | "partial",
      number
    >
  >;
  /** Items that failed, by kind. */
  readonly failures: Map<string, number>;
  /** Items that leases hold. */
  readonly held: number;
  readonly unknownStates: number;
}

type Rows = <T>(sql: string, ...values: SQLInputValue[]) => Iterable<T>;

interface Count {
  readonly state: number;
  readonly leased: number;
  readonly count: number;
}

export const countItems = (rows: Rows, job: JobRow): CountedItems => {
  const counts = [
    ...rows<Count>(
      `SELECT i.state, i.state = 0 AND i.seq <= q.cursor AND i.due_at IS NULL AND i.suspect = 0 AS leased, count(*) AS count
       FROM queues q JOIN items i ON i.queue = q.id WHERE q.job = ? GROUP BY 1, 2`,
      job.number,
    ),
  ];
  const sum = (of: (one: Count) => boolean): number =>
    counts.filter(of).reduce((all, { count }) => all + count, 0);
  const inState = (state: number): number => sum((one) => one.state === state);
  const [partial] = rows<{ n: number }>(
    `SELECT count(*) AS n FROM queues q JOIN results r ON r.queue = q.id JOIN items i ON i.queue = r.queue AND i.seq = r.seq
     WHERE q.job = ? AND i.state = 3 AND r.quality = 'partial'`,
    job.number,
  );
  const [held] = rows<{ n: number }>(
    "SELECT coalesce(sum(l.open), 0) AS n FROM queues q JOIN leases l ON l.queue = q.id WHERE q.job = ?",
    job.number,
  );
  const leased = sum((one) => one.leased === 1);
  // Not written one by one: what became of them is said by their job.
  const left = leftAs(job);
  const open = sum((one) => one.state < 3) - leased;
  const failures = new Map<string, number>(left === "failed" && open > 0 ? [["budget", open]] : []);
  for (const { kind, n } of rows<{ kind: string; n: number }>(
    `SELECT r.failure ->> 'kind' AS kind, count(*) AS n FROM queues q JOIN items i ON i.queue = q.id
     JOIN results r ON r.queue = i.queue AND r.seq = i.seq WHERE q.job = ? AND i.state = 5 GROUP BY 1`,
    job.number,
  ))
    failures.set(kind, (failures.get(kind) ?? 0) + n);
  return {
    counters: {
      accepted: sum(() => true),
      done: inState(3),
      absent: inState(4),
      failed: inState(5) + (left === "failed" ? open : 0),
      skipped: inState(6),
      cancelled: inState(7) + (left === "cancelled" ? open : 0),
      waiting: left === undefined ? inState(2) : 0,
      leased,
      partial: partial!.n,
    },
    failures,
    held: held!.n,
    unknownStates: sum(({ state }) => state === 1 || !(state >= 0 && state <= 7)),
  };
};

/** Sets a job's counters to what its items say. */
export const setCounters = (db: Database, id: string): void => {
  const job = jobRow(db, id);
  const { counters, failures } = countItems((sql, ...values) => db.all(sql, ...values), job);
  const names = Object.keys(counters);
  db.run(
    `UPDATE jobs SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE number = ?`,
    ...Object.values(counters),
    job.number,
  );
  db.run("UPDATE job_failures SET final = 0 WHERE job = ?", job.number);
  for (const [kind, count] of failures)
    db.run(
      `INSERT INTO job_failures (job, kind, final, example_key, example_detail) VALUES (?, ?, ?, '', '')
       ON CONFLICT (job, kind) DO UPDATE SET final = excluded.final`,
      job.number,
      kind,
      count,
    );
};

export const repairCounters = async (file: string, id: string): Promise<void> => {
  const db = await Database.open(file, {});
  try {
    await db.write(() => setCounters(db, id));
  } finally {
    db.close();
  }
};
