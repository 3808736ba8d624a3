import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf } from "../../ports/ledger-suite/test-kit.ts";
import { openSqlite } from "./open.ts";

/** Between machines each is a round trip under a lock. */
const MOST = { claim: 8, pulse: 6, settle: 8, add: 6 };
const LANES = 20;
const CLIENTS = 5;

/** A ledger that counts the statements of its verbs. */
const countingLedger = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-statements-"));
  const statements: string[] = [];
  const clock = { now: 1_750_000_000_000 };
  const ledger = await openSqlite(join(folder, "ledger.db"), {
    now: () => clock.now,
    onStatement: (sql) => statements.push(sql),
  });
  t.after(async () => {
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  const most: Record<string, number> = {};
  const counted = async <T>(verb: string, work: () => Promise<T>): Promise<T> => {
    const before = statements.length;
    const result = await work();
    most[verb] = Math.max(most[verb] ?? 0, statements.length - before);
    return result;
  };
  return { ledger, clock, most, counted };
};

test(`verbs need few statements, also over ${LANES} paced lanes with ${CLIENTS} clients`, async (t) => {
  const { ledger, clock, most, counted } = await countingLedger(t);
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
  const workers = ["w1", "w2"].map((name) => new SimWorker(name, ledger, () => clock.now));
  for (let round = 0; round < 10; round++) {
    clock.now += 900;
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

test("so do those that end, hold and lose many jobs and lanes at once", async (t) => {
  const { ledger, clock, most, counted } = await countingLedger(t);
  const many = 120;
  const submit = async (name: string, count: number): Promise<void> => {
    for (let n = 0; n < many; n++) {
      const items = keysOf(count).map((key) => ({ key, input: "{}", lane: `l${n}.test` }));
      await ledger.createJob(jobSpec(`${name}${n}`));
      await ledger.addItems(`${name}${n}`, items, []);
      await ledger.sealJob(`${name}${n}`);
    }
  };
  const worker = new SimWorker("w1", ledger, () => clock.now);
  await submit("ended", 1);
  const ended = await worker.take(200);
  assert.equal(ended.length, many);
  await counted("settle", () => worker.settle(ended));
  assert.equal((await ledger.readJob("ended7"))!.state, "done");
  await submit("lost", 1);
  const lost = new SimWorker("w2", ledger, () => clock.now);
  assert.equal((await lost.take(200)).length, many);
  await counted("reap", () => ledger.reap({ worker: "w2" }));
  await submit("held", 20);
  const held = (await worker.take(3000)).filter(({ job }) => job.startsWith("held"));
  const outcomes = held.map(({ queue }) => ({ queue, result: "blocked" as const, attempt: 1 }));
  await counted("pulse", () => worker.pulse({ outcomes }));
  assert.equal((await ledger.readJob("held7"))!.held.length, 1, "the breaker has tripped");
  t.diagnostic(JSON.stringify(most));
  for (const [verb, count] of Object.entries(most)) assert.ok(count <= 9, `${verb}: ${count}`);
});
