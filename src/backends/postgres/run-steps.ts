import { statementIn } from "../sql/dialect.ts";
import { SETS } from "../../ledger/loads.ts";
import type { Step, StepEngine, Steps, WritePart } from "../sql/steps.ts";
import { FORMATS, type Value } from "../sql/tables.ts";
import { arrayOf, type PgConnection } from "./connection.ts";
import type { PgPool } from "./pool.ts";
import { groupOf, insertRows, selectLoad } from "./statements.ts";
import { BEGIN, BEGIN_READ, BEGIN_UNSYNCED, takeTurn } from "./turn.ts";

/** Removals and tidying change what the ledger's rules read: they take turns with these. */
const LOCKS: Readonly<Record<WritePart, string>> = {
  events: "cursors",
  records: "ledger",
  registry: "registry",
  removals: "ledger",
};

export const postgresSteps = (pool: PgPool, now: () => number, given?: () => number): StepEngine => ({
  read: (work) =>
    pool.withConnection(async (connection) => {
      const begun = connection.query(BEGIN_READ);
      const [, result] = await Promise.all([begun, runSteps(connection, work(now()))]);
      await connection.query("COMMIT");
      return result;
    }),
  write: (part, work, durable = true) =>
    pool.withConnection(async (connection) => {
      const begun = connection.query(durable ? BEGIN : BEGIN_UNSYNCED);
      const [, at] = await Promise.all([begun, takeTurn(connection, LOCKS[part], given)]);
      const result = await runSteps(connection, work(at));
      await connection.query("COMMIT");
      return result;
    }),
});

const runSteps = async <T>(connection: PgConnection, steps: Steps<T>): Promise<T> => {
  try {
    let next = steps.next();
    while (!next.done) next = steps.next(await take(connection, next.value));
    return next.value;
  } catch (error) {
    // Where the work itself refuses, the connection is as good as before.
    await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
};

const take = async (connection: PgConnection, step: Step): Promise<unknown> => {
  switch (step.ask) {
    case "all": {
      const { rows, fields } = await ask(connection, step.sql, step.values);
      return rows.map((row) => Object.fromEntries(fields.map((name, i) => [name, row[i]])));
    }
    case "arrays":
      return (await ask(connection, step.sql, step.values)).rows;
    case "run":
      return (await ask(connection, step.sql, step.values)).count;
    case "load": {
      const { text, values } = selectLoad(groupOf(step.name, [{ name: step.name, args: step.args }]));
      const format = FORMATS[SETS[step.name].kind];
      return (await connection.query(text, values)).rows.map((row) => format.read(row as Value[], 1));
    }
    case "put": {
      if (step.records.length === 0) return 0;
      const { text, values } = insertRows(step.kind, step.records, step.onConflict);
      return (await connection.query(text, values)).count;
    }
  }
};

const ask = (connection: PgConnection, sql: string, values: readonly Value[]) => {
  const { text, lists } = statementIn("postgres", sql);
  const bound = values.map((value, i) =>
    lists.includes(i) && value !== null ? arrayOf(JSON.parse(value as string) as Value[]) : value,
  );
  return connection.query(text, bound);
};
