import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, planned } from "../../ports/ledger-suite/test-kit.ts";
import { openSqlite } from "./open.ts";

const HOUR = 3_600_000;

test("a failure is forgotten with its window: it answers nobody any more, and nobody compares with it", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-fresh-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "ledger.db");
  let nowMs = Date.now();
  const ledger = await openSqlite(file, { now: () => nowMs });
  t.after(() => ledger.close());
  await ledger.createJob(jobSpec("job", { freshness: {} }));
  await ledger.addItems("job", planned(["a"]), []);
  const worker = new SimWorker("w1", ledger, () => nowMs);
  const fresh = { outcome: "blocked", freshMs: HOUR } as const;
  await worker.settle(await worker.take(), failed("blocked"), { fresh });
  const reader = new DatabaseSync(file, { readOnly: true });
  t.after(() => reader.close());
  const count = () => reader.prepare("SELECT count(*) AS n FROM fresh").get()!["n"];
  nowMs += HOUR - 1;
  await ledger.tidy();
  assert.equal(count(), 1);
  nowMs += 1;
  await ledger.tidy();
  assert.equal(count(), 0);
});
