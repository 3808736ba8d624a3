import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { BlobRange, CaptureRef, RecordRange } from "../../domain/capture.ts";
import type { FailureKind } from "../../domain/failure.ts";
import type { FailureCount, Job } from "../../ledger/records.ts";
import type { Places } from "../../ledger/workers.ts";
import type { CheckedJob, Damage, LedgerCheck, StoredRef } from "../../ports/ledger-check.ts";
import { count } from "../sql/rows.ts";
import { FORMATS, type Value } from "../sql/tables.ts";
import {
  checkItems,
  type CountedItems,
  countItems,
  doubtsOf,
  leasedPlaces,
  type Reading,
} from "./count-items.ts";
import { LEDGER_SCHEMA } from "./migrate.ts";

/** Maximum number of rows of one kind that are reported one by one. */
const MOST = 200;
const RESTORE = "restore the ledger from a backup";
const NOT_COUNTED = `${RESTORE}: \`--repair\` cannot recount while items are damaged; those are listed here too`;
const JOB = FORMATS.job;
const DOCUMENT = FORMATS.document;

/** Opens a ledger for reading only, even one that no command can use. Throws if SQLite cannot open the file at all. */
export const checkLedger = (file: string): LedgerCheck => {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 30_000 });
  db.exec("BEGIN");
  const rows = rowsOf(db);
  const has = (sql: string, ...values: Value[]): boolean => rows.all(sql, ...values).length > 0;
  return {
    problems: () => new Check(rows, file).problems(),
    jobs: () => checkedJobs(rows),
    refs: () => storedRefs(rows),
    knows: (job) =>
      has("SELECT 1 FROM jobs WHERE id = ?1 UNION ALL SELECT 1 FROM removals WHERE id = ?1", job),
    isRemoved: (job) => has("SELECT 1 FROM removals WHERE id = ?", job),
    isKept: (job, object) => has("SELECT 1 FROM kept_objects WHERE owner = ? AND object = ?", job, object),
    [Symbol.dispose]: () => db.close(),
  };
};

const rowsOf = (db: DatabaseSync): Reading => {
  const known = new Map<string, StatementSync>();
  const lists = (sql: string): StatementSync => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    all: <T>(sql: string, ...values: Value[]) => db.prepare(sql).all(...values) as T[],
    arrays<T>(sql: string, ...values: Value[]) {
      const statement = known.get(sql) ?? lists(sql);
      known.set(sql, statement);
      return statement.all(...values) as unknown as T[];
    },
    each: (sql, ...values) => lists(sql).iterate(...values) as unknown as Iterable<Value[]>,
  };
};

function* checkedJobs(rows: Reading): Generator<CheckedJob> {
  for (const [id, state, endedAt] of rows.each("SELECT id, state, ended_at FROM jobs ORDER BY number"))
    yield {
      id: id as string,
      state: state as Job["state"],
      endedAt: (endedAt as number | null) ?? undefined,
    };
}

function* storedRefs(rows: Reading): Generator<StoredRef> {
  for (const row of rows.each(
    `SELECT j.id, i.key, CASE WHEN r.queue IS NULL THEN t.last -> 'captures' ELSE r.captures END,
       CASE WHEN r.queue IS NULL THEN t.last -> 'records' ELSE r.records END
     FROM jobs j CROSS JOIN queues q ON q.job = j.number CROSS JOIN items i ON i.queue = q.id
     LEFT JOIN results r ON r.queue = i.queue AND r.seq = i.seq
     LEFT JOIN retries t ON t.queue = i.queue AND t.seq = i.seq AND json_valid(t.last)`,
  )) {
    const [job, key, captures, records] = row as [string, string, string | null, string | null];
    for (const ref of parsed<readonly CaptureRef[]>(captures) ?? [])
      if (isRange(ref)) yield { ...placeOf(ref), job, key, kind: "capture" };
    const range = parsed<RecordRange>(records);
    if (range && isRange(range)) yield { ...placeOf(range), job, key, kind: "records" };
  }
}

class Check {
  readonly #rows: Reading;
  readonly #file: string;

  constructor(rows: Reading, file: string) {
    this.#rows = rows;
    this.#file = file;
  }

  *problems(): Generator<Damage> {
    try {
      let isSound = true;
      for (const problem of this.#pages()) {
        isSound = false;
        yield problem;
      }
      const version = count(this.#rows, "PRAGMA user_version");
      const known = LEDGER_SCHEMA.migrations.length;
      if (version !== known) {
        yield this.#ledger(
          `its schema version is ${version}, this Sluice expects ${known}`,
          "open it once with any other command of the matching version, then check again",
        );
        return;
      }
      const leases = leasedPlaces(this.#rows);
      const places = [...this.#places()];
      for (const row of this.#rows.each(`SELECT ${JOB.columnsOf("t")} FROM jobs t ORDER BY t.number`))
        yield* this.#job(row, leases, isSound && places.length === 0);
      yield* places;
      for (const row of this.#rows.each(
        `SELECT ${DOCUMENT.columnsOf("t")} FROM documents t ORDER BY t.kind, t.name`,
      ))
        if (!DOCUMENT.fits(row))
          yield this.#ledger(`${String(row[0])} ${String(row[1])}: its row does not match its checksum`);
    } catch (error) {
      yield this.#ledger(`it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #ledger(problem: string, advice: string = RESTORE): Damage {
    return { what: "ledger", where: this.#file, problem, advice };
  }

  /** SQLite's own check of its pages and indexes. */
  *#pages(): Generator<Damage> {
    for (const [text] of this.#rows.each(`PRAGMA integrity_check(${MOST})`))
      if (text !== "ok") yield this.#ledger(String(text));
  }

  *#job(row: readonly Value[], leases: ReadonlyMap<number, Places>, isSound: boolean): Generator<Damage> {
    const id = String(row[1]);
    const damage = (problem: string, advice: string | undefined): Damage => ({
      what: "job",
      where: this.#file,
      job: id,
      problem: `job ${id}: ${problem}`,
      ...(advice === undefined ? { repair: "counters" } : { advice }),
    });
    let job: Job;
    try {
      job = JOB.read(row);
    } catch {
      yield damage("its row cannot be read", RESTORE);
      return;
    }
    const items = [...this.#items(job, leases)];
    const counted = countItems(this.#rows, job, leases);
    const [wrong, doubts] = [[...this.#counters(job, counted)], doubtsOf(counted)];
    const advice = isSound && items.length === 0 && doubts.length === 0 ? undefined : NOT_COUNTED;
    if (!JOB.fits(row))
      yield damage("its row does not match its checksum", wrong.length > 0 ? advice : RESTORE);
    for (const text of wrong) yield damage(text, advice);
    for (const text of doubts) yield damage(text, RESTORE);
    yield* items;
  }

  /** Conservation: the counters of a job and of its queues match its items. */
  *#counters(job: Job, { counters, failures, queues }: CountedItems): Generator<string> {
    for (const [name, n] of Object.entries(counters) as [keyof typeof counters, number][])
      if (job[name] !== n) yield `its counter ${name} is ${job[name]}, but its items add up to ${n}`;
    const stored = new Map(
      this.#rows
        .all<{ id: number; open: number; leased: number; waiting: number }>(
          "SELECT id, open, leased, waiting FROM queues WHERE job = ?",
          job.number,
        )
        .map((queue) => [queue.id, queue]),
    );
    for (const queue of queues)
      for (const name of ["open", "leased", "waiting"] as const)
        if (stored.get(queue.id)?.[name] !== queue[name])
          yield `its counter ${name} in queue ${queue.id} is ${stored.get(queue.id)?.[name]}, but its items add up to ${queue[name]}`;
    const told = job.failures as Readonly<Record<string, FailureCount>>;
    for (const kind of new Set([...Object.keys(told), ...failures.keys()])) {
      const n = failures.get(kind as FailureKind) ?? 0;
      if ((told[kind]?.final ?? 0) !== n)
        yield `its counter of ${kind} failures is ${told[kind]?.final ?? "missing"}, but its items add up to ${n}`;
    }
  }

  *#items({ id, ...job }: Job, leases: ReadonlyMap<number, Places>): Generator<Damage> {
    let told = 0;
    for (const { key, problem } of checkItems(this.#rows, job, leases))
      if (++told <= MOST)
        yield {
          what: "item",
          where: this.#file,
          job: id,
          problem: `job ${id}, item ${key}: ${problem}`,
          advice: RESTORE,
        };
    if (told > MOST) yield this.#ledger(`job ${id}: ${told - MOST} more items are damaged`);
  }

  /** Rows that refer to others. */
  *#places(): Generator<Damage> {
    const noItem = (table: string): string =>
      `SELECT count(*) FROM ${table} r LEFT JOIN items i ON i.queue = r.queue AND i.seq = r.seq WHERE i.queue IS NULL`;
    const lost = {
      "queues belong to no job":
        "SELECT count(*) FROM queues WHERE job NOT IN (SELECT number FROM jobs UNION SELECT number FROM removals)",
      "queues belong to no lane": "SELECT count(*) FROM queues WHERE lane NOT IN (SELECT id FROM lanes)",
      "items belong to no queue":
        "SELECT count(*) FROM (SELECT DISTINCT queue FROM items) WHERE queue NOT IN (SELECT id FROM queues)",
      "results belong to no item": noItem("results"),
      "retries belong to no item": noItem("retries"),
      "leases belong to no queue":
        "SELECT count(*) FROM workers w CROSS JOIN json_each(w.leases) l WHERE l.value ->> 'queue' NOT IN (SELECT id FROM queues)",
      "queues have an item that is due earlier than they record": `SELECT count(*) FROM queues q JOIN jobs j ON j.number = q.job AND j.state <> 'cancelled' AND j.spent_at IS NULL WHERE EXISTS
          (SELECT 1 FROM retries r WHERE r.queue = q.id AND r.state <> 'suspect' AND r.due_at < coalesce(q.due_at, 9e15))`,
      "queues have a cursor outside their range":
        "SELECT count(*) FROM queues WHERE cursor > tail OR cursor < 0",
      "freshness entries refer to the wrong item":
        "SELECT count(*) FROM fresh f LEFT JOIN items i ON i.queue = f.queue AND i.seq = f.seq WHERE i.key IS NOT f.key",
    };
    for (const [what, sql] of Object.entries(lost)) {
      const n = count(this.#rows, sql);
      if (n > 0) yield this.#ledger(`${n} ${what}`);
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

/** Invalid JSON has already been reported as damage of its row. */
const parsed = <T>(text: string | null): T | undefined => {
  try {
    return text === null ? undefined : ((JSON.parse(text) as T | null) ?? undefined);
  } catch {
    return undefined;
  }
};
