import assert from "node:assert/strict";
import { DONE, failed, waiting } from "./sim-worker.ts";
import { code, keysOf, type Kit, type LedgerTest, planned } from "./test-kit.ts";

/** Start of each bucket after that of the first failure, with its counts. */
const timesOf = async (kit: Kit, job = "job") => {
  const { widthMs, buckets } = await kit.ledger.readFailures(job);
  const all = Object.entries(buckets).toSorted(([a], [b]) => Number(a) - Number(b));
  const first = Number(all[0]?.[0] ?? 0);
  return all.map(([number, pairs]) => [(Number(number) - first) * widthMs, pairs] as const);
};

export const failureTimes = (test: LedgerTest): void => {
  test("failures are counted by time and kind: those that end an item, and attempts", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(6));
    await kit.ledger.addItems("job", planned(["other"], "other.test"), []);
    const [a, b, c, d, e, f, other] = await worker.take(7);
    await worker.settle([a!, b!], DONE);
    assert.deepEqual(await timesOf(kit), [], "without a failure nothing is written");
    await worker.settle([c!, other!], failed("blocked"));
    await worker.settle([d!], waiting(1000, "timeout"));
    kit.pass(20_000);
    await worker.settle([e!, f!], failed("timeout"));
    assert.deepEqual(await timesOf(kit), [
      [0, { blocked: [2, 2], timeout: [0, 1] }],
      [20_000, { timeout: [2, 2] }],
    ]);
    await assert.rejects(() => kit.ledger.readFailures("none"), code("no-such-job"));
  });

  test("a failed item that is queued again stays counted when it failed", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    await kit.ledger.sealJob("job");
    await worker.settle(await worker.take(), failed("blocked"));
    await kit.ledger.retryItems("job", {});
    kit.pass(3_600_000);
    await worker.settle(await worker.take(), DONE);
    assert.equal((await kit.ledger.readJob("job"))?.counts.states.failed, 0);
    assert.deepEqual(await timesOf(kit), [[0, { blocked: [1, 1] }]]);
  });

  test("so are items that fail with their worker, and those for which no budget is left", async (kit) => {
    const worker = kit.worker();
    await kit.job("lost", ["a"]);
    const [item] = await worker.take();
    await worker.pulse({ acting: [item!] });
    await kit.ledger.reap({ worker: worker.name, cause: { blame: "unknown", detail: "gone" } });
    const [[, lost] = [0, {}]] = await timesOf(kit, "lost");
    assert.deepEqual(Object.values(lost), [[1, 1]]);
    await kit.job("poor", keysOf(5), { budget: { requests: 2, onSpent: "fail" } });
    const other = kit.worker("w2");
    await other.settle((await other.take(3)).slice(0, 2));
    assert.deepEqual(await timesOf(kit, "poor"), [[0, { budget: [2, 0] }]]);
  });

  test("a job that fails for weeks has few buckets, and goes with all of them", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(100));
    for (let n = 0; n < 100; n++) {
      await worker.settle(await worker.take(1), failed("timeout"));
      kit.pass(6 * 3_600_000);
    }
    const times = await timesOf(kit);
    assert.ok(times.length > 40 && times.length <= 96, `${times.length} buckets`);
    assert.equal(
      times.reduce((sum, [, { timeout }]) => sum + timeout![0], 0),
      100,
    );
    await kit.ledger.sealJob("job");
    await kit.ledger.removals.mark("job", "job");
    await assert.rejects(() => kit.ledger.readFailures("job"), code("job-removed"));
  });
};
