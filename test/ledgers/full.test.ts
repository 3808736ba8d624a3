// e2e: migrates large ledgers and kills a migration
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { checkLedger } from "../../src/backends/sqlite/check-ledger.ts";
import { openSqlite } from "../../src/backends/sqlite/open.ts";
import { SimWorker } from "../../src/ports/ledger-suite/sim-worker.ts";
import { viewsOf } from "./views.ts";

/**
 * A ledger of 85e542a, the last version whose items had their state in their own rows, and what that version said of it. It has jobs in all
 * states, items in all states, retries, suspects, leases, followers, capped inputs, kept answers, removals, a result and a job that were damaged.
 */
const stored = (end: string): string =>
  readFileSync(join(import.meta.dirname, `full/85e542a.${end}`), "utf8");
const before = JSON.parse(stored("json")) as { now: number; workers: { name: string }[] };
const steady = { nowMs: () => before.now, boot: "one" };

const write = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-full-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "ledger.db");
  using db = new DatabaseSync(file);
  db.exec(`BEGIN; ${stored("sql")} COMMIT`);
  return file;
};

const open = (file: string) => openSqlite(file, { now: () => before.now, steady });

test("a ledger of the previous version has the same content after the upgrade, including damage", async (t) => {
  const file = write(t);
  const ledger = await open(file);
  assert.deepEqual(await viewsOf(ledger, before.now), before);
  await ledger.close();
  using check = checkLedger(file);
  assert.deepEqual(
    [...check.problems()].map(({ problem }) => problem),
    [
      "job damaged, item k0: its stored data does not match its checksum",
      "job broken: its row does not match its checksum",
    ],
  );
});

test("a ledger of the previous version continues: its workers are lost, and its items end", async (t) => {
  let { now } = before;
  const ledger = await openSqlite(write(t), { now: () => now, steady: { nowMs: () => now, boot: "one" } });
  t.after(() => ledger.close());
  await ledger.controlLane("paused.test", { isHeld: false });
  for (const { name } of before.workers) await ledger.reap({ worker: name });
  for (const job of ["paused", "stopped", "held"]) await ledger.controlJob(job, "resume");
  const [worker, alone] = [
    new SimWorker("new", ledger, () => now),
    new SimWorker("alone", ledger, () => now),
  ];
  for (let round = 0; round < 200; round++) {
    now += 1000;
    await worker.settle(await worker.take());
    await worker.pulse();
    const suspect = await alone.takeAlone();
    if (suspect) await alone.settle([suspect]);
  }
  const unended: Record<string, number> = {};
  for (const { spec, counts } of await ledger.listJobs({ limit: 200 })) {
    const { queued, leased, waiting } = counts.states;
    if (queued + leased + waiting > 0) unended[spec.id] = queued + leased + waiting;
  }
  assert.deepEqual(unended, {});
  assert.equal((await ledger.readJob("cancelled"))?.endedAt !== undefined, true);
});

test("a migration that was killed at its end is repeated", async (t) => {
  const file = write(t);
  const { signal, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "killed-migration.ts"), file],
    {
      encoding: "utf8",
    },
  );
  assert.equal(signal, "SIGKILL", stderr);
  const ledger = await open(file);
  t.after(() => ledger.close());
  assert.deepEqual(await viewsOf(ledger, before.now), before);
});
