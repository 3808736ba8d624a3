import { statementIn } from "../sql/dialect.ts";
import { readRecords, writeRecords } from "../sql/rows.ts";
import type { Step, StepEngine, Steps } from "../sql/steps.ts";
import type { Database } from "./database.ts";

/** Steps run without interruption, inside the transaction. Writers of all parts wait for each other: the file has one lock. */
export const sqliteSteps = (db: Database): StepEngine => ({
  read: (work) => db.read(() => runSteps(db, work(db.now()))),
  write: (_part, work, durable) => db.write(() => runSteps(db, work(db.now())), durable),
});

const runSteps = <T>(db: Database, steps: Steps<T>): T => {
  let next = steps.next();
  while (!next.done) next = steps.next(take(db, next.value));
  return next.value;
};

const take = (db: Database, step: Step): unknown => {
  switch (step.ask) {
    case "all":
      return db.all(statementIn("sqlite", step.sql).text, ...step.values);
    case "arrays":
      return db.arrays(statementIn("sqlite", step.sql).text, ...step.values);
    case "run":
      return db.run(statementIn("sqlite", step.sql).text, ...step.values);
    case "load":
      return readRecords(db, step.name, ...(step.args as never));
    case "put":
      return writeRecords(db, step.kind, step.records, step.onConflict);
  }
};
