import assert from "node:assert/strict";
import { card, keysOf, type LedgerTest, UNPACED } from "./world.ts";

const CAUSE = { blame: "unknown", detail: "gone" } as const;

export const workSums = (test: LedgerTest): void => {
  test("what workers tell of their work is added up, and stays when they are gone", async (world) => {
    assert.deepEqual(await world.ledger.readWorkSums(), {});
    await world.job("job", keysOf(2));
    await world.worker("w1").take(1);
    await world.ledger.registerWorker(card("w1"), { "claim within 0.01": 2, "claim seconds": 0.25 });
    await world.ledger.registerWorker(card("w1"), { "claim within 0.01": 1, "settle seconds": 0.5 });
    await world.ledger.registerWorker(card("w2"), { "claim within 0.01": 4, "refused settles": 0 });
    await world.ledger.registerWorker(card("w2"));
    const told = { "claim within 0.01": 7, "claim seconds": 0.25, "settle seconds": 0.5 };
    assert.deepEqual(await world.ledger.readWorkSums(), told);
    await world.ledger.reap({ worker: "w1" });
    world.pass(3_600_000);
    await world.ledger.tidy();
    const { ["claim within 0.01"]: claims, ["claim seconds"]: seconds } = await (
      await world.another()
    ).readWorkSums();
    assert.deepEqual([claims, seconds], [7, 0.25]);
    assert.deepEqual(await world.ledger.listWorkers(), []);
  });

  test("leases that end before their items are settled are counted, whoever ends them", async (world) => {
    const lost = async () => {
      const sums = await world.ledger.readWorkSums();
      return [sums["lost workers"] ?? 0, sums["lost leases"] ?? 0, sums["suspect items"] ?? 0];
    };
    await world.job("a", keysOf(4), { pace: UNPACED });
    await world.job("b", keysOf(4), { pace: UNPACED, lane: "b.test" });
    const [one, two, three] = [world.worker("w1"), world.worker("w2"), world.worker("w3")];
    await one.take(2, { jobs: ["a"] });
    await one.take(2, { jobs: ["b"] });
    await world.ledger.reap({ worker: "w1", cause: CAUSE });
    assert.deepEqual(await lost(), [1, 2, 4]);
    await two.take(1, { jobs: ["a"] });
    world.pass(3_600_000);
    await three.claim(0);
    assert.deepEqual(await lost(), [2, 3, 5], "one that fell silent is noticed by another's claim");
    await three.settle(await three.take(1, { jobs: ["a"] }));
    await world.ledger.reap({ worker: "w3" });
    assert.deepEqual(await lost(), [2, 3, 5], "one that ends in order has lost nothing");
  });
};
