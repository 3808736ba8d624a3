import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { LEDGER_SCHEMA } from "./migrate.ts";
import { JOB_COLUMNS, RESULT_COLUMNS } from "./row-sums.ts";

test("every column of a job and of a result is under a checksum", () => {
  using db = new DatabaseSync(":memory:");
  for (const sql of LEDGER_SCHEMA.migrations) db.exec(sql);
  const columns = (table: string) =>
    db
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name }) => String(name));
  assert.deepEqual([...JOB_COLUMNS, "spec"].toSorted(), columns("jobs").toSorted());
  const ownSums = ["history", "sum", "history_sum"];
  assert.deepEqual([...RESULT_COLUMNS, ...ownSums].toSorted(), columns("results").toSorted());
});
