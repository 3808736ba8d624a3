import assert from "node:assert/strict";
import { test } from "node:test";
import { SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { ProgressWatch } from "./progress-watch.ts";
import { TellingHouse, until } from "./telling-house.suite.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

test("a job's progress is told while somebody listens, and a job that stands still is not", async (t) => {
  const house = await TellingHouse.open(t);
  const worker = new SimWorker("w1", house.ledger, house.now);
  await house.job("still", { priority: -1 }, 1);
  await house.job("job", { priority: 1 }, 50);
  const watch = new ProgressWatch(house.ledger, SILENT, house.now, 5);
  t.after(() => watch.stop());
  const told = new Set<string>();
  const stop = watch.listen(({ spec }) => told.add(spec.id));
  // The first look has nothing to compare with.
  await until(async () => {
    if (told.size === 0) await worker.settle(await worker.take(1, { jobs: ["job"] }));
    return told.size > 0;
  });
  stop();
  assert.deepEqual([...told], ["job"]);
});

test("a job's rate is that of the last minute once it was looked at before", async (t) => {
  const house = await TellingHouse.open(t);
  const worker = new SimWorker("w1", house.ledger, house.now);
  using watch = new ProgressWatch(house.ledger, SILENT, house.now, 5);
  await house.job("job", {}, 50);
  const rate = async () => watch.rateOf((await house.ledger.readJob("job"))!);
  house.nowMs += 100_000;
  await worker.settle(await worker.take(10));
  assert.equal(await rate(), 0.1, "over its whole life");
  house.nowMs += 10;
  assert.ok((await rate())! < 0.11, "a moment says nothing");
  house.nowMs += 9990;
  await worker.settle(await worker.take(20));
  assert.equal(await rate(), 2);
});

test("a cancelled job's rate counts what was worked on", async (t) => {
  const house = await TellingHouse.open(t);
  const worker = new SimWorker("w1", house.ledger, house.now);
  using watch = new ProgressWatch(house.ledger, SILENT, house.now, 5);
  await house.job("job", {}, 50);
  house.nowMs += 1000;
  await worker.settle(await worker.take(5));
  await house.ledger.steerJob("job", "cancel");
  assert.equal(watch.rateOf((await house.ledger.readJob("job"))!), 5);
});
