import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JobQuery, Ledger } from "../../ports/ledger.ts";
import { DONE, failed, settlement, SimWorker, waiting } from "../../ports/ledger-suite/sim-worker.ts";
import { NotifyKit } from "../testing/notify-kit.ts";
import { JobTotals } from "./job-totals.ts";

const open = async (t: TestContext) => {
  const service = await NotifyKit.open(t);
  const worker = new SimWorker("w1", service.ledger, service.now);
  return { service, ledger: service.ledger, worker, totals: new JobTotals(service.ledger) };
};

/** Runs all items of a job that was given to the worker, to the same end. */
const endAll = async (worker: SimWorker, outcome = DONE): Promise<void> => {
  const items = await worker.take();
  await worker.ledger.settle(
    worker.name,
    items.map((item) => settlement(item, outcome)),
  );
  worker.held.clear();
};

test("items, attempts, requests and fields are summed over jobs", async (t) => {
  const { service, ledger, worker, totals } = await open(t);
  await service.job("a", { fields: ["owner", "tax"] }, 3);
  await service.job("b", {}, 2);
  const [first, second, third] = await worker.take(3, { jobs: ["a"] });
  await ledger.settle("w1", [
    settlement(first!, DONE, { fieldCounts: [1, 0, 0, 0, 0, 0, 0, 1] }),
    settlement(second!, failed("blocked")),
    settlement(third!, waiting(60_000, "timeout")),
  ]);
  await totals.look();
  const seen = (["done", "failed", "waiting", "queued"] as const).map((state) =>
    totals.get(`items ${state}`),
  );
  assert.deepEqual(seen, [1, 1, 1, 2]);
  assert.equal(totals.get("jobs loading"), 2);
  assert.equal(totals.get("depth loading"), 3);
  assert.equal(totals.get("attempts done"), 1);
  assert.equal(totals.get("attempts timeout"), 1);
  assert.equal(totals.get("attempts blocked"), 1);
  assert.equal(totals.get("failed blocked"), 1);
  assert.equal(totals.get("failed timeout"), 0);
  assert.equal(totals.get("requests"), 3);
  assert.equal(totals.get("bytes"), 300);
  assert.equal(totals.get("fields present"), 1);
  assert.equal(totals.get("fields malformed"), 1);
});

test("a job that ends between two looks is counted once, in its new state", async (t) => {
  const { service, ledger, worker, totals } = await open(t);
  await service.job("a", {}, 2);
  await totals.look();
  await ledger.sealJob("a");
  await endAll(worker);
  await totals.look();
  assert.deepEqual(
    [
      totals.get("jobs loading"),
      totals.get("jobs done"),
      totals.get("items done"),
      totals.get("items queued"),
    ],
    [0, 1, 2, 0],
  );
});

test("a job that starts and ends between two looks is counted", async (t) => {
  const { service, ledger, worker, totals } = await open(t);
  await service.job("a", {}, 1);
  await totals.look();
  await service.job("b", {}, 1);
  await ledger.sealJob("b");
  await endAll(worker);
  await totals.look();
  assert.equal(totals.get("jobs done"), 1);
  assert.equal(totals.get("items done"), 2);
});

test("an ended job that is retried is counted in its new state", async (t) => {
  const { service, ledger, worker, totals } = await open(t);
  await service.job("a", {}, 2);
  await ledger.sealJob("a");
  await endAll(worker, failed("blocked"));
  await totals.look();
  assert.equal(totals.get("failed blocked"), 2);
  await ledger.retryItems("a", {});
  await totals.look();
  assert.deepEqual([totals.get("jobs done"), totals.get("jobs running")], [0, 1]);
  assert.equal(totals.get("failed blocked"), 0);
  assert.equal(totals.get("attempts blocked"), 2, "an attempt that was made stays made");
});

test("later looks read neither jobs that ended before the first, nor open jobs one by one", async (t) => {
  const { service, ledger } = await open(t);
  for (let n = 0; n < 30; n++) await service.job(`open-${n}`);
  for (let n = 0; n < 450; n++) {
    await service.job(`job-${n}`);
    await ledger.controlJob(`job-${n}`, "cancel");
  }
  let asked = 0;
  const counting: Pick<Ledger, "listJobs" | "readJob" | "sumOpenJobs"> = {
    readJob: (job) => ledger.readJob(job),
    sumOpenJobs: () => ledger.sumOpenJobs(),
    listJobs: async (query?: JobQuery) => {
      const jobs = await ledger.listJobs(query);
      asked += jobs.length;
      return jobs;
    },
  };
  const totals = new JobTotals(counting);
  await totals.look();
  assert.equal(totals.get("jobs cancelled"), 450);
  assert.equal(asked, 480);
  await totals.look();
  assert.deepEqual([totals.get("jobs cancelled"), totals.get("jobs loading")], [450, 30]);
  assert.equal(asked, 490, "a short page, for those that are new");
});
