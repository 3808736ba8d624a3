import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { JobWatch } from "./job-watch.ts";
import { TellingHouse, until } from "./telling-house.suite.ts";

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

test("a job that is retried after its end goes on, and does not start a second time", async (t) => {
  const house = await TellingHouse.open(t);
  const { ledger } = house;
  const worker = new SimWorker("w1", ledger, house.now);
  await house.job("before");
  const watch = new JobWatch(ledger, SILENT, house.now, 5);
  t.after(() => watch.stop());
  const told: string[] = [];
  watch.events.listen(({ type, job }) => void (type !== "job.progress" && told.push(`${job} ${type}`)));
  const hears = async (event: string, times = 1) => {
    house.nowMs += 1000;
    await until(() => told.filter((one) => one === event).length === times);
  };
  watch.start();
  // Until it has had its first look, what there is is no news to it.
  for (let n = 0; told.length === 0; n++) {
    await house.job(`n${n}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await house.job("job", {}, 1);
  await hears("job job.started");
  await ledger.sealJob("job");
  await worker.settle(await worker.take(), failed("timeout"));
  await hears("job job.completed");
  await house.job("after");
  await hears("after job.started");
  await ledger.retryItems("job", {});
  await hears("job job.resumed");
  await worker.settle(await worker.take());
  await hears("job job.completed", 2);
  assert.equal(told.filter((event) => event === "job job.started").length, 1);
});

test("a cancelled job's rate counts what was worked on", async (t) => {
  const house = await TellingHouse.open(t);
  const worker = new SimWorker("w1", house.ledger, house.now);
  using watch = new JobWatch(house.ledger, SILENT, house.now, 5);
  await house.job("job", {}, 50);
  house.nowMs += 1000;
  await worker.settle(await worker.take(5));
  await house.ledger.steerJob("job", "cancel");
  assert.equal(watch.rateOf((await house.ledger.readJob("job"))!), 5);
});
