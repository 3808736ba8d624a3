import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqlite } from "../src/backends/sqlite/open.ts";

const page = readFileSync(join(import.meta.dirname, "debugging.md"), "utf8");

test("every query of the debugging page runs on a ledger", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-debugging-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "sluice.db");
  const ledger = await openSqlite(file);
  t.after(() => ledger.close());
  using db = new DatabaseSync(file, { readOnly: true });
  const queries = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, query]) => query!);
  assert.ok(queries.length >= 7);
  for (const query of queries) db.prepare(query).all();
});
