import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { GOOD, HOUR } from "../../../ports/ledger-suite/freshness.ts";
import { DONE, SimWorker } from "../../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, planned } from "../../../ports/ledger-suite/test-kit.ts";
import { checkLedger } from "../../sqlite/check-ledger.ts";
import { Database } from "../../sqlite/database.ts";
import { openSqlite } from "../../sqlite/open.ts";
import { sqliteStore } from "../../sqlite/store.ts";

test("an item that an older version answered by naming another gets what that one has when its job is removed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-detach-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "ledger.db");
  const ledger = await openSqlite(file);
  const worker = new SimWorker("w1", ledger, Date.now);
  const records = { blob: "jobs/one/records/a.jsonl", offset: 0, length: 5 };
  for (const id of ["one", "two"]) {
    await ledger.createJob(jobSpec(id, { freshness: { maxAgeMs: HOUR } }));
    await ledger.addItems(id, planned(["a"]), []);
    await ledger.sealJob(id);
    await worker.settle(await worker.take(), DONE, { records, fresh: GOOD });
  }
  const [answered] = (await ledger.listItems("two", { limit: 5 })).items;
  assert.deepEqual([answered?.state, answered?.records], ["skipped", records]);
  const older = await Database.open(file, {});
  const { queue, seq } = answered!.ref;
  await sqliteStore(older).transact([], (tx) =>
    tx.patch("result", tx.one("result", queue, seq)!, { records: null }),
  );
  older.close();
  await ledger.removals.mark("one", "job");
  while ((await ledger.removals.advance("one")) === "ledger");
  const { items } = await ledger.listItems("two", { limit: 5 });
  await ledger.close();
  assert.deepEqual(
    items.map((item) => [item.state, item.records]),
    [["skipped", records]],
  );
  using check = checkLedger(file);
  assert.deepEqual([...check.problems()], []);
});
