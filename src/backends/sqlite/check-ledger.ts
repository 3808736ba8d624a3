import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";
import type { BlobRange, CaptureRef, RecordRange } from "../../model/capture.ts";
import type { CheckedJob, Damage, LedgerCheck, StoredRef } from "../../ports/ledger-check.ts";
import { countItems } from "./count-items.ts";
import { itemHash } from "./insert-items.ts";
import type { JobRow } from "./job-row.ts";
import { nextHash } from "./key-hash.ts";
import { LEDGER_SCHEMA } from "./migrate.ts";
import { historySum, ITEM_TEXT, jobSum, RESULT_COLUMNS, rowSum, specSum } from "./row-sums.ts";

/** Rows of one kind that are told one by one. */
const MOST = 200;
const RESTORE = "restore the ledger from a backup";

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
      yield* this.#jobs(isSound);
      yield* this.#places();
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
      const job = (problem: string, repair?: "counters"): Damage => ({
        what: "job",
        where: this.#file,
        job: row.id,
        problem: `job ${row.id}: ${problem}`,
        ...(repair ? { repair } : { advice: RESTORE }),
      });
      if (row.specSum !== null && row.specSum !== specSum(row.number, row.spec))
        yield job("what it was submitted with does not fit its checksum");
      if (row.countsSum === null || row.specSum === null) this.unverified++;
      const wrong = [...this.#counters(row)];
      if (row.countsSum !== null && row.countsSum !== jobSum((sql) => this.#db.prepare(sql), row.number))
        yield job("its row does not fit its checksum", isSound && wrong.length > 0 ? "counters" : undefined);
      for (const text of wrong) yield job(text, "counters");
      yield* this.#results(row, row.whole === 1);
      yield* this.#keys(row);
    }
    for (const { job } of this.#rows<{ job: number }>(
      "SELECT job FROM job_sums WHERE job NOT IN (SELECT number FROM jobs)",
    ))
      yield this.#ledger(`a checksum is of job number ${job}, which is not there`);
  }

  /** Conservation: the job's counters are what its items say. */
  *#counters(job: JobRow): Generator<string> {
    const { counters, failures, held, unknownStates } = countItems(
      (sql, ...values) => this.#rows(sql, ...values),
      job,
    );
    for (const [name, count] of Object.entries(counters))
      if (job[name as keyof JobRow] !== count)
        yield `its counter ${name} is ${String(job[name as keyof JobRow])}, its items say ${count}`;
    if (unknownStates > 0) yield `${unknownStates} items are in a state that there is not`;
    if (held !== counters.leased) yield `its leases hold ${held} items, ${counters.leased} are leased`;
    for (const { kind, final } of this.#rows<{ kind: string; final: number }>(
      "SELECT kind, final FROM job_failures WHERE job = ?",
      job.number,
    )) {
      const count = failures.get(kind) ?? 0;
      failures.delete(kind);
      if (count !== final) yield `its counter of ${kind} failures is ${final}, its items say ${count}`;
    }
    for (const [kind, count] of failures)
      yield `its counter of ${kind} failures is not there, its items say ${count}`;
  }

  *#results(job: JobRow, isWhole: boolean): Generator<Damage> {
    const find = this.#db.prepare(
      `SELECT ${RESULT_COLUMNS.map((name) => `r.${name}`).join(", ")}, ${ITEM_TEXT}, i.key, r.sum, r.history, r.history_sum
       FROM queues q JOIN items i ON i.queue = q.id LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
       WHERE q.job = ? AND (r.queue IS NOT NULL OR i.state > 2 OR i.attempts > 0 OR i.throttles > 0)`,
    );
    find.setReturnArrays(true);
    find.setReadBigInts(true); // a damaged number may be a large one
    let told = 0;
    for (const row of find.iterate(job.number) as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
      const [key, sum, history, past] = row.slice(RESULT_COLUMNS.length + 1);
      const [queue, seq] = row;
      const isStored = queue !== null;
      const isUnsummed = isStored && (sum === null || (history !== null && past === null));
      const fits =
        (sum === null || Number(sum) === rowSum(row.slice(0, RESULT_COLUMNS.length + 1))) &&
        (past === null || Number(past) === historySum(queue, seq, history));
      if (isUnsummed && !isWhole) this.unverified++;
      if (isStored && fits && !(isUnsummed && isWhole)) continue;
      if (++told > MOST) continue;
      const problem = isStored
        ? "what is stored of it does not fit its checksum"
        : "it has ended or was tried, and has no result";
      yield {
        what: "item",
        where: this.#file,
        job: job.id,
        problem: `job ${job.id}, item ${String(key)}: ${problem}`,
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

  /** An item is found by the hash of its key. */
  *#keys(job: JobRow): Generator<Damage> {
    const find = this.#db.prepare("SELECT queue, seq FROM item_keys WHERE job = ? AND hash = ?");
    const rows = this.#rows<{ queue: number; seq: number; key: string; scraper: number }>(
      "SELECT i.queue, i.seq, i.key, i.scraper FROM queues q JOIN items i ON i.queue = q.id WHERE q.job = ?",
      job.number,
    );
    let told = 0;
    for (const { queue, seq, key, scraper } of rows) {
      let found = find.get(job.number, itemHash(key, scraper, job.key_seed));
      for (
        let hash = itemHash(key, scraper, job.key_seed);
        found && (found["queue"] !== queue || found["seq"] !== seq);
      ) {
        hash = nextHash(hash);
        found = find.get(job.number, hash);
      }
      if (!found && ++told <= MOST)
        yield {
          what: "item",
          where: this.#file,
          job: job.id,
          problem: `job ${job.id}, item ${key}: it is not found by its key`,
          advice: RESTORE,
        };
    }
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
