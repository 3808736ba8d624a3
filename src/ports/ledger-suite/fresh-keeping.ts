import assert from "node:assert/strict";
import { GOOD, HOUR, runFresh, SHARED, submitFresh } from "./freshness.ts";
import { keysOf, type LedgerTest } from "./test-kit.ts";

export const freshKeeping = (test: LedgerTest): void => {
  test("an expired answer is kept for validation and comparison: shared ones for over a month, own ones for over a year", async (kit) => {
    const DAY = 24 * HOUR;
    const known = async () => {
      await kit.ledger.tidy();
      const scraper = "county";
      const keys = ["team", null].map((client) => ({ client, scraper, key: "a" }));
      return (await kit.ledger.readFresh(keys)).map((entry) => entry !== undefined);
    };
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one", SHARED);
    kit.pass(HOUR - 1);
    assert.deepEqual(await known(), [true, true]);
    kit.pass(31 * DAY);
    assert.deepEqual(await known(), [true, true], "a monthly job validates and compares");
    kit.pass(10 * DAY);
    assert.deepEqual(await known(), [true, false]);
    kit.pass(325 * DAY);
    assert.deepEqual(await known(), [true, false], "a yearly job compares");
    await submitFresh(kit, "two", ["a"], { maxAgeMs: 0 });
    await runFresh(kit, "two", GOOD);
    assert.equal((await kit.ledger.readJob("two"))?.changes?.unchanged, 1);
    kit.pass(399 * DAY);
    assert.deepEqual(await known(), [true, false], "its use begins anew with each answer");
    kit.pass(2 * DAY);
    assert.deepEqual(await known(), [false, false]);
  });

  test("many expired answers are deleted in steps", async (kit) => {
    await submitFresh(kit, "one", keysOf(1200));
    for (let left = 1200; left > 0; left -= 100) await runFresh(kit, "one");
    const count = async () => {
      const asked = keysOf(1200).map((key) => ({ client: "team", scraper: "county", key }));
      return (await kit.ledger.readFresh(asked)).filter((entry) => entry !== undefined).length;
    };
    assert.equal(await count(), 1200);
    kit.pass(401 * 24 * HOUR);
    let steps = 0;
    for (let left = 1200; left > 0; left = await count()) {
      await kit.ledger.tidy();
      assert.ok(++steps < 20);
    }
    await submitFresh(kit, "two", ["a"]);
    await runFresh(kit, "two");
    for (let again = 0; again < 5; again++) await kit.ledger.tidy();
    const [left] = await kit.ledger.readFresh([{ client: "team", scraper: "county", key: "a" }]);
    assert.equal(left?.job, "two", "what is of use stays");
  });
};
