import assert from "node:assert/strict";
import { test } from "node:test";
import { SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { ProgressWatch } from "./progress-watch.ts";
import { NotifyKit, until } from "./testing/notify-kit.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

test("progress is reported while somebody listens, except for idle jobs", async (t) => {
  const service = await NotifyKit.open(t);
  const worker = new SimWorker("w1", service.ledger, service.now);
  await service.job("still", { priority: -1 }, 1);
  await service.job("job", { priority: 1 }, 50);
  const watch = new ProgressWatch(service.ledger, SILENT, service.now, 5);
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

test("a job's rate is that of the last minute once it has been sampled", async (t) => {
  const service = await NotifyKit.open(t);
  const worker = new SimWorker("w1", service.ledger, service.now);
  using watch = new ProgressWatch(service.ledger, SILENT, service.now, 5);
  await service.job("job", {}, 50);
  const rate = async () => watch.rateOf((await service.ledger.readJob("job"))!);
  service.nowMs += 100_000;
  await worker.settle(await worker.take(10));
  assert.equal(await rate(), 0.1, "over its whole life");
  service.nowMs += 10;
  assert.ok((await rate())! < 0.11, "a moment says nothing");
  service.nowMs += 9990;
  await worker.settle(await worker.take(20));
  assert.equal(await rate(), 2);
});

test("a cancelled job's rate counts what was worked on", async (t) => {
  const service = await NotifyKit.open(t);
  const worker = new SimWorker("w1", service.ledger, service.now);
  using watch = new ProgressWatch(service.ledger, SILENT, service.now, 5);
  await service.job("job", {}, 50);
  service.nowMs += 1000;
  await worker.settle(await worker.take(5));
  await service.ledger.controlJob("job", "cancel");
  assert.equal(watch.rateOf((await service.ledger.readJob("job"))!), 5);
});
