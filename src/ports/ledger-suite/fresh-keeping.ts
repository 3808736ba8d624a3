import assert from "node:assert/strict";
import { GOOD, HOUR, runFresh, SHARED, submitFresh } from "./freshness.ts";
import { keysOf, type LedgerTest } from "./world.ts";

export const freshKeeping = (test: LedgerTest): void => {
  test("an answer is kept after its window for who validates and compares: what is shared over a month, one's own over a year", async (world) => {
    const DAY = 24 * HOUR;
    const known = async () => {
      await world.ledger.tidy();
      const scraper = "county";
      const keys = ["team", null].map((client) => ({ client, scraper, key: "a" }));
      return (await world.ledger.readFresh(keys)).map((entry) => entry !== undefined);
    };
    await submitFresh(world, "one", ["a"]);
    await runFresh(world, "one", SHARED);
    world.pass(HOUR - 1);
    assert.deepEqual(await known(), [true, true]);
    world.pass(31 * DAY);
    assert.deepEqual(await known(), [true, true], "a monthly job validates and compares");
    world.pass(10 * DAY);
    assert.deepEqual(await known(), [true, false]);
    world.pass(325 * DAY);
    assert.deepEqual(await known(), [true, false], "a yearly job compares");
    await submitFresh(world, "two", ["a"], { maxAgeMs: 0 });
    await runFresh(world, "two", GOOD);
    assert.equal((await world.ledger.readJob("two"))?.changes?.unchanged, 1);
    world.pass(399 * DAY);
    assert.deepEqual(await known(), [true, false], "its use begins anew with each answer");
    world.pass(2 * DAY);
    assert.deepEqual(await known(), [false, false]);
  });

  test("many that are past their use are forgotten in steps", async (world) => {
    await submitFresh(world, "one", keysOf(1200));
    for (let left = 1200; left > 0; left -= 100) await runFresh(world, "one");
    const count = async () => {
      const asked = keysOf(1200).map((key) => ({ client: "team", scraper: "county", key }));
      return (await world.ledger.readFresh(asked)).filter((entry) => entry !== undefined).length;
    };
    assert.equal(await count(), 1200);
    world.pass(401 * 24 * HOUR);
    let steps = 0;
    for (let left = 1200; left > 0; left = await count()) {
      await world.ledger.tidy();
      assert.ok(++steps < 20);
    }
    await submitFresh(world, "two", ["a"]);
    await runFresh(world, "two");
    for (let again = 0; again < 5; again++) await world.ledger.tidy();
    const [left] = await world.ledger.readFresh([{ client: "team", scraper: "county", key: "a" }]);
    assert.equal(left?.job, "two", "what is of use stays");
  });
};
