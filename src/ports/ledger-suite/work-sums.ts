import assert from "node:assert/strict";
import { workerInfo, keysOf, type LedgerTest, UNPACED } from "./test-kit.ts";

const CAUSE = { blame: "unknown", detail: "gone" } as const;

export const workSums = (test: LedgerTest): void => {
  test("the figures that workers report are summed, and stay when the workers are gone", async (kit) => {
    assert.deepEqual(await kit.ledger.readWorkSums(), {});
    await kit.job("job", keysOf(2));
    await kit.worker("w1").take(1);
    await kit.ledger.registerWorker(workerInfo("w1"), { "claim within 0.01": 2, "claim seconds": 0.25 });
    await kit.ledger.registerWorker(workerInfo("w1"), { "claim within 0.01": 1, "settle seconds": 0.5 });
    await kit.ledger.registerWorker(workerInfo("w2"), { "claim within 0.01": 4, "refused settles": 0 });
    await kit.ledger.registerWorker(workerInfo("w2"));
    const told = { "claim within 0.01": 7, "claim seconds": 0.25, "settle seconds": 0.5 };
    assert.deepEqual(await kit.ledger.readWorkSums(), told);
    await kit.ledger.reap({ worker: "w1" });
    kit.pass(3_600_000);
    await kit.ledger.tidy();
    const { ["claim within 0.01"]: claims, ["claim seconds"]: seconds } = await (
      await kit.another()
    ).readWorkSums();
    assert.deepEqual([claims, seconds], [7, 0.25]);
    assert.deepEqual(await kit.ledger.listWorkers(), []);
  });

  test("leases that end before their items are settled are counted, however they end", async (kit) => {
    const lost = async () => {
      const sums = await kit.ledger.readWorkSums();
      return [sums["lost workers"] ?? 0, sums["lost leases"] ?? 0, sums["suspect items"] ?? 0];
    };
    await kit.job("a", keysOf(4), { pace: UNPACED });
    await kit.job("b", keysOf(4), { pace: UNPACED, lane: "b.test" });
    const [one, two, three] = [kit.worker("w1"), kit.worker("w2"), kit.worker("w3")];
    await one.take(2, { jobs: ["a"] });
    await one.take(2, { jobs: ["b"] });
    await kit.ledger.reap({ worker: "w1", cause: CAUSE });
    assert.deepEqual(await lost(), [1, 2, 4]);
    await two.take(1, { jobs: ["a"] });
    kit.pass(3_600_000);
    await three.claim(0);
    assert.deepEqual(await lost(), [2, 3, 5], "one that fell silent is noticed by another's claim");
    await three.settle(await three.take(1, { jobs: ["a"] }));
    await kit.ledger.reap({ worker: "w3" });
    assert.deepEqual(await lost(), [2, 3, 5], "one that ends in order has lost nothing");
  });
};
