import type { SQLInputValue, StatementSync } from "node:sqlite";
import { LedgerError } from "../../ports/ledger.ts";
import { checkItems } from "./check-items.ts";
import { Database } from "./database.ts";
import { leftAs } from "./item-state.ts";
import { jobRow, type JobRow } from "./job-row.ts";
import { jobSum } from "./row-sums.ts";

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
  writeCounters(
    db,
    job.number,
    countItems((sql, ...values) => db.all(sql, ...values), job),
  );
};

/** What cannot be where items and leases are as they were written. */
export const doubtsOf = ({ counters, held, unknownStates }: CountedItems): string[] => [
  ...(unknownStates > 0 ? [`${unknownStates} items are in a state that there is not`] : []),
  ...(held === counters.leased
    ? []
    : [`its leases hold ${held} items, its items say that ${counters.leased} are leased`]),
];

/** Damaged items that are named; there may be more. */
const MOST_NAMED = 5;

/** Sets a job's counters to what its items say. Throws where these are damaged, or where the job's row is so in other columns too. */
export const repairCounters = async (file: string, id: string): Promise<void> => {
  const db = await Database.open(file, {});
  const prepare = (sql: string): StatementSync => db.sql(sql);
  try {
    await db.write(() => {
      const job = jobRow(db, id);
      const sums = db.get<{ whole: number; counts: number | null }>(
        "SELECT whole, counts FROM job_sums WHERE job = ?",
        job.number,
      );
      const counted = countItems((sql, ...values) => db.all(sql, ...values), job);
      const damaged = doubtsOf(counted);
      for (const { key, problem } of checkItems(prepare, job, sums?.whole === 1)) {
        if (damaged.length === MOST_NAMED) break;
        if (problem !== undefined) damaged.push(`item ${key}: ${problem}`);
      }
      if (damaged.length > 0) throw notRepaired(id, damaged.join("; "));
      const known = sums?.counts ?? null;
      const wasRight = known === null || known === jobSum(prepare, job.number);
      writeCounters(db, job.number, counted);
      // The sum is of the row as it was written: with its counters set right, it fits again.
      if (!wasRight && known !== jobSum(prepare, job.number))
        throw notRepaired(id, "its row does not fit its checksum in other columns either");
    });
  } finally {
    db.close();
  }
};

const notRepaired = (id: string, why: string): LedgerError =>
  new LedgerError(
    "damaged-row",
    `${id}: its counters were not counted again, for what they are counted from is damaged (${why}). Restore the ledger from a backup.`,
  );

const writeCounters = (db: Database, job: number, { counters, failures }: CountedItems): void => {
  const names = Object.keys(counters);
  db.run(
    `UPDATE jobs SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE number = ?`,
    ...Object.values(counters),
    job,
  );
  db.run("UPDATE job_failures SET final = 0 WHERE job = ?", job);
  for (const [kind, count] of failures)
    db.run(
      `INSERT INTO job_failures (job, kind, final, example_key, example_detail) VALUES (?, ?, ?, '', '')
       ON CONFLICT (job, kind) DO UPDATE SET final = excluded.final`,
      job,
      kind,
      count,
    );
};
