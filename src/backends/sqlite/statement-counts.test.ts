import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf } from "../../ports/ledger-suite/world.ts";
import { openSqlite } from "./open.ts";

/** Between machines each is a round trip under a lock. */
const MOST = { claim: 8, pulse: 6, settle: 8, add: 6 };
const LANES = 20;
const CLIENTS = 5;

test(`verbs need few statements, also over ${LANES} paced lanes with ${CLIENTS} clients`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-statements-"));
  const statements: string[] = [];
  let now = 1_750_000_000_000;
  const ledger = await openSqlite(join(folder, "ledger.db"), {
    now: () => now,
    onStatement: (sql) => statements.push(sql),
  });
  t.after(async () => {
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  const most: Record<string, number> = {};
  const counted = async <T>(verb: keyof typeof MOST, work: () => Promise<T>): Promise<T> => {
    const before = statements.length;
    const result = await work();
    most[verb] = Math.max(most[verb] ?? 0, statements.length - before);
    return result;
  };
  const pace = { perSecond: 50, burst: 50, concurrency: 200 };
  for (let client = 0; client < CLIENTS; client++) {
    const id = `job${client}`;
    await ledger.createJob(jobSpec(id, { client: `client${client}`, pace }));
    for (let from = 0; from < 3; from++) {
      const items = keysOf(2000, `${from}-`).map((key, i) => ({
        key,
        input: "{}",
        lane: `l${i % LANES}.test`,
      }));
      // The first inputs of a job also make its lanes and queues.
      const add = () => ledger.addItems(id, items, []);
      if (from === 0) await add();
      else await counted("add", add);
    }
  }
  const workers = ["w1", "w2"].map((name) => new SimWorker(name, ledger, () => now));
  for (let round = 0; round < 10; round++) {
    now += 900;
    for (const worker of workers) {
      const { items } = await counted("claim", () => worker.claim(500));
      assert.ok(items.length > 0);
      const outcomes = items.map(({ queue }) => ({ queue, result: "done" as const, attempt: 1 }));
      const lanes = [...new Set(items.map(({ lane }) => lane))].map((lane) => ({
        lane,
        kind: "ok" as const,
        count: 5,
      }));
      await counted("pulse", () => worker.pulse({ outcomes, lanes }));
      await counted("settle", () => worker.settle(items));
    }
  }
  t.diagnostic(JSON.stringify(most));
  for (const [verb, limit] of Object.entries(MOST)) assert.ok(most[verb]! <= limit, `${verb}: ${most[verb]}`);
});
