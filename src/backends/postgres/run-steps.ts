import { SETS } from "../../ledger/loads.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { statementIn } from "../sql/dialect.ts";
import type { Step, StepEngine, Steps, WritePart } from "../sql/steps.ts";
import { FORMATS, type Value } from "../sql/tables.ts";
import type { Answer } from "./batch.ts";
import { arrayOf, type PgConnection } from "./connection.ts";
import type { PgPool } from "./pool.ts";
import { groupOf, insertRows, selectLoad } from "./statements.ts";
import { MOST_ROWS, type StoreOptions } from "./store.ts";
import { begin, readClock, takeTurn } from "./turn.ts";

/** Rules also lock the row `ledger`, so that no rule sees a partial removal. */
const LOCKS = {
  records: "ledger",
  removals: "ledger",
  events: "cursors",
  registry: "registry",
} as const satisfies Readonly<Record<WritePart, string>>;

/** For this time, the server's clock is known without asking: time passes as on this machine. */
const CLOCK_MS = 10_000;

/** Steps over a connection: one transaction each, which runs again after a conflict or a lost connection. */
export const postgresSteps = (pool: PgPool, { now: given }: StoreOptions = {}): StepEngine => {
  let aheadMs = 0;
  let isKnownUntil = 0;
  const note = (at: number): number => {
    aheadMs = at - performance.now();
    isKnownUntil = performance.now() + CLOCK_MS;
    return at;
  };
  return {
    read: (work) =>
      pool.withConnection(async (connection) => {
        const begun = begin(connection, "read");
        if (!given && performance.now() > isKnownUntil)
          note((await Promise.all([begun, readClock(connection)]))[1]);
        const now = given?.() ?? performance.now() + aheadMs;
        const [, result] = await Promise.all([begun, runSteps(connection, work(now))]);
        return result;
      }),
    write: (part, work, isDurable = true) =>
      pool.withConnection(async (connection) => {
        const [, at] = await Promise.all([
          begin(connection, isDurable ? "durable" : "unsynced"),
          takeTurn(connection, LOCKS[part], given),
        ]);
        return await runSteps(connection, work(note(at)));
      }),
  };
};

const runSteps = async <T>(connection: PgConnection, steps: Steps<T>): Promise<T> => {
  try {
    let next = steps.next();
    while (!next.done) next = steps.next(await take(connection, next.value));
    await connection.query("COMMIT", []);
    return next.value;
  } catch (error) {
    // The connection is used again; after other errors it is closed.
    if (error instanceof LedgerError) await connection.query("ROLLBACK", []);
    throw error;
  }
};

const take = async (connection: PgConnection, step: Step): Promise<unknown> => {
  switch (step.ask) {
    case "all": {
      const { rows, fields } = await ask(connection, step.sql, step.values);
      return rows.map((row) => Object.fromEntries(row.map((value, i) => [fields[i]!.name, value])));
    }
    case "arrays":
      return (await ask(connection, step.sql, step.values)).rows;
    case "run":
      return (await ask(connection, step.sql, step.values)).count;
    case "load": {
      const { name, args } = step;
      const { text, values } = selectLoad(groupOf(name, [{ name, args }]));
      const { rows } = await connection.query(text, values);
      return rows.map((row) => FORMATS[SETS[name].kind].read(row as Value[], 1));
    }
    case "put": {
      let count = 0;
      for (let from = 0; from < step.records.length; from += MOST_ROWS) {
        const some = step.records.slice(from, from + MOST_ROWS);
        const { text, values } = insertRows(step.kind, some, step.onConflict);
        count += (await connection.query(text, values)).count;
      }
      return count;
    }
  }
};

const ask = (connection: PgConnection, sql: string, values: readonly Value[]): Promise<Answer> => {
  const { text, lists } = statementIn("postgres", sql);
  if (lists.length === 0) return connection.query(text, values);
  const listed = values.map((value, i) =>
    lists.includes(i) ? arrayOf(JSON.parse(value as string) as Value[]) : value,
  );
  return connection.query(text, listed);
};
