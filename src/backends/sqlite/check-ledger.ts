import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { BlobRange, CaptureRef, RecordRange } from "../../model/capture.ts";
import type { CheckedJob, Damage, LedgerCheck, StoredRef } from "../../ports/ledger-check.ts";
import { checkItems } from "./check-items.ts";
import { countItems, doubtsOf } from "./count-items.ts";
import type { JobRow } from "./job-row.ts";
import { LEDGER_SCHEMA } from "./migrate.ts";
import { jobSum, specSum } from "./row-sums.ts";

/** Rows of one kind that are told one by one. */
const MOST = 200;
const RESTORE = "restore the ledger from a backup";
const NOT_COUNTED = `${RESTORE}: \`--repair\` does not count again while items are damaged, which are named here too`;

/** Opens for reading only: also a ledger that no command can work with. Throws where SQLite cannot open the file at all. */
export const checkLedger = (file: string): LedgerCheck => {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 30_000 });
  db.exec("BEGIN");
  const check = new Check(db, file);
  return {
    problems: () => check.problems(),
    get unverified() {
      return check.unverified;
    },
    jobs: () => check.jobs(),
    refs: () => check.refs(),
    knows: (job) =>
      check.has("SELECT 1 FROM jobs WHERE id = ?1 UNION ALL SELECT 1 FROM removals WHERE id = ?1", job),
    isRemoved: (job) => check.has("SELECT 1 FROM removals WHERE id = ?", job),
    isKept: (job, object) =>
      check.has("SELECT 1 FROM kept_objects WHERE owner = ? AND object = ?", job, object),
    [Symbol.dispose]: () => db.close(),
  };
};

class Check {
  readonly #db: DatabaseSync;
  readonly #file: string;
  unverified = 0;

  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
  }

  has(sql: string, ...values: SQLInputValue[]): boolean {
    return this.#db.prepare(sql).get(...values) !== undefined;
  }

  *problems(): Generator<Damage> {
    try {
      let isSound = true;
      for (const problem of this.#pages()) {
        isSound = false;
        yield problem;
      }
      const version = Number(this.#one("PRAGMA user_version")["user_version"]);
      if (version !== LEDGER_SCHEMA.migrations.length) {
        yield this.#ledger(
          `its tables are of version ${version}, this Sluice has ${LEDGER_SCHEMA.migrations.length}`,
          "open it once with any other command of the right version, then check again",
        );
        return;
      }
      const places = [...this.#places()];
      yield* this.#jobs(isSound && places.length === 0);
      yield* places;
    } catch (error) {
      yield this.#ledger(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  *jobs(): Generator<CheckedJob> {
    for (const row of this.#rows<JobRow>("SELECT id, state, ended_at FROM jobs ORDER BY number"))
      yield { id: row.id, state: row.state, endedAt: row.ended_at ?? undefined };
  }

  *refs(): Generator<StoredRef> {
    interface RefRow {
      readonly job: string;
      readonly key: string;
      readonly captures: string | null;
      readonly records: string | null;
    }
    const rows = this.#rows<RefRow>(
      `SELECT j.id AS job, i.key, r.captures, r.records FROM jobs j JOIN queues q ON q.job = j.number
       JOIN results r ON r.queue = q.id JOIN items i ON i.queue = r.queue AND i.seq = r.seq
       WHERE r.captures IS NOT NULL OR r.records IS NOT NULL`,
    );
    for (const { job, key, captures, records } of rows) {
      for (const ref of parsed<readonly CaptureRef[]>(captures) ?? [])
        if (isRange(ref)) yield { ...placeOf(ref), job, key, kind: "capture" };
      const range = parsed<RecordRange>(records);
      if (range && isRange(range)) yield { ...placeOf(range), job, key, kind: "records" };
    }
  }

  #rows<T>(sql: string, ...values: SQLInputValue[]): Iterable<T> {
    return this.#db.prepare(sql).iterate(...values) as Iterable<T>;
  }

  #one(sql: string, ...values: SQLInputValue[]): Record<string, unknown> {
    return this.#db.prepare(sql).get(...values) ?? {};
  }

  #ledger(problem: string, advice: string = RESTORE): Damage {
    return { what: "ledger", where: this.#file, problem, advice };
  }

  /** SQLite's own look at its pages and indexes. */
  *#pages(): Generator<Damage> {
    for (const row of this.#rows<Record<string, unknown>>(`PRAGMA integrity_check(${MOST})`)) {
      const text = String(Object.values(row)[0]);
      if (text !== "ok") yield this.#ledger(text);
    }
  }

  *#jobs(isSound: boolean): Generator<Damage> {
    for (const row of this.#rows<JobRow & Record<"countsSum" | "specSum" | "whole", number | null>>(
      `SELECT j.*, s.counts AS countsSum, s.spec AS specSum, s.whole
       FROM jobs j LEFT JOIN job_sums s ON s.job = j.number ORDER BY j.number`,
    )) {
      const job = (problem: string, advice?: string): Damage => ({
        what: "job",
        where: this.#file,
        job: row.id,
        problem: `job ${row.id}: ${problem}`,
        ...(advice === undefined ? { repair: "counters" } : { advice }),
      });
      if (row.specSum !== null && row.specSum !== specSum(row.number, row.spec))
        yield job("what it was submitted with does not fit its checksum", RESTORE);
      if (row.countsSum === null || row.specSum === null) this.unverified++;
      const items = [...this.#items(row, row.whole === 1)];
      const { wrong, doubts } = this.#counters(row);
      const advice = isSound && items.length === 0 && doubts.length === 0 ? undefined : NOT_COUNTED;
      if (row.countsSum !== null && row.countsSum !== jobSum((sql) => this.#db.prepare(sql), row.number))
        yield job("its row does not fit its checksum", wrong.length > 0 ? advice : RESTORE);
      for (const text of wrong) yield job(text, advice);
      for (const text of doubts) yield job(text, RESTORE);
      yield* items;
    }
    for (const { job } of this.#rows<{ job: number }>(
      "SELECT job FROM job_sums WHERE job NOT IN (SELECT number FROM jobs)",
    ))
      yield this.#ledger(`a checksum is of job number ${job}, which is not there`);
  }

  /** Conservation: the job's counters are what its items say. Where there are doubts, the items themselves cannot be right. */
  #counters(job: JobRow): { readonly wrong: readonly string[]; readonly doubts: readonly string[] } {
    const counted = countItems((sql, ...values) => this.#rows(sql, ...values), job);
    const wrong = Object.entries(counted.counters)
      .filter(([name, count]) => job[name as keyof JobRow] !== count)
      .map(
        ([name, count]) =>
          `its counter ${name} is ${String(job[name as keyof JobRow])}, its items say ${count}`,
      );
    const failures = new Map(counted.failures);
    for (const { kind, final } of this.#rows<{ kind: string; final: number }>(
      "SELECT kind, final FROM job_failures WHERE job = ?",
      job.number,
    )) {
      const count = failures.get(kind) ?? 0;
      failures.delete(kind);
      if (count !== final) wrong.push(`its counter of ${kind} failures is ${final}, its items say ${count}`);
    }
    for (const [kind, count] of failures)
      wrong.push(`its counter of ${kind} failures is not there, its items say ${count}`);
    return { wrong, doubts: doubtsOf(counted) };
  }

  /** Items that are not as they were written. */
  *#items(job: JobRow, isWhole: boolean): Generator<Damage> {
    let told = 0;
    for (const { key, problem } of checkItems((sql) => this.#db.prepare(sql), job, isWhole)) {
      if (problem === undefined) this.unverified++;
      else if (++told <= MOST)
        yield {
          what: "item",
          where: this.#file,
          job: job.id,
          problem: `job ${job.id}, item ${key}: ${problem}`,
          advice: RESTORE,
        };
    }
    if (told > MOST) yield this.#ledger(`job ${job.id}: ${told - MOST} more items are damaged`);
    const { n } = this.#one(
      `SELECT count(*) AS n FROM queues q JOIN results r ON r.queue = q.id LEFT JOIN items i ON i.queue = r.queue AND i.seq = r.seq
       WHERE q.job = ? AND i.queue IS NULL`,
      job.number,
    );
    if (Number(n) > 0) yield this.#ledger(`job ${job.id}: ${String(n)} results are of no item`);
  }

  /** Rows that name others. */
  *#places(): Generator<Damage> {
    const found = (sql: string): number => Number(this.#one(sql)["n"]);
    const lost = {
      "queues are of no job":
        "SELECT count(*) AS n FROM queues WHERE job NOT IN (SELECT number FROM jobs UNION SELECT number FROM removals)",
      "queues are of no lane": "SELECT count(*) AS n FROM queues WHERE lane NOT IN (SELECT id FROM lanes)",
      "items are of no queue":
        "SELECT count(*) AS n FROM (SELECT DISTINCT queue FROM items) WHERE queue NOT IN (SELECT id FROM queues)",
      "results are of no queue":
        "SELECT count(*) AS n FROM (SELECT DISTINCT queue FROM results) WHERE queue NOT IN (SELECT id FROM queues)",
      "leases are of no queue or no worker":
        "SELECT count(*) AS n FROM leases WHERE queue NOT IN (SELECT id FROM queues) OR worker NOT IN (SELECT name FROM workers) OR lo > hi OR open < 0",
      "queues have a cursor behind their last place":
        "SELECT count(*) AS n FROM queues WHERE cursor > tail OR cursor < 0",
      "kept answers name an item that is another":
        "SELECT count(*) AS n FROM fresh f LEFT JOIN items i ON i.queue = f.queue AND i.seq = f.seq WHERE i.key IS NOT f.key",
    };
    for (const [what, sql] of Object.entries(lost)) {
      const count = found(sql);
      if (count > 0) yield this.#ledger(`${count} ${what}`);
    }
  }
}

const isRange = ({ blob, offset, length }: BlobRange): boolean =>
  typeof blob === "string" && Number.isSafeInteger(offset) && Number.isSafeInteger(length);

const placeOf = ({ blob, offset, length, digest }: RecordRange): RecordRange => ({
  blob,
  offset,
  length,
  ...(digest !== undefined && { digest }),
});

/** What is no JSON any more has been told as damage of its row. */
const parsed = <T>(text: string | null): T | undefined => {
  try {
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
};
