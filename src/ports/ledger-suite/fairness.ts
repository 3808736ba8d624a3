import assert from "node:assert/strict";
import { countOf, serveSlots, TEN, WINDOW } from "./slot-watch.ts";
import { BACKLOG, keysOf, type LedgerTest, planned, UNPACED } from "./test-kit.ts";

export const fairness = (test: LedgerTest): void => {
  test("a client with a large backlog does not delay a client with ten items", async (kit) => {
    const worker = kit.worker();
    await kit.job("huge", keysOf(BACKLOG), { client: "big", pace: TEN });
    await serveSlots(kit, worker, 300);
    await kit.job("tiny", keysOf(10), { client: "small", pace: TEN });
    const served = await serveSlots(kit, worker, 20 + WINDOW);
    assert.equal(countOf(served, "tiny"), 10);
  });

  test("backlogged clients share a lane evenly, at any moment to within one window", async (kit) => {
    const worker = kit.worker();
    for (const client of ["a", "b", "c"]) await kit.job(client, keysOf(400), { client, pace: TEN });
    const served = await serveSlots(kit, worker, 300);
    for (let upTo = 1; upTo <= served.length; upTo++)
      for (const job of ["a", "b", "c"]) {
        const lag = upTo / 3 - countOf(served.slice(0, upTo), job);
        assert.ok(lag <= WINDOW, `${job} lags ${lag} slots after ${upTo}`);
      }
  });

  test("a client gets one share, however many jobs it has", async (kit) => {
    const worker = kit.worker();
    for (const id of ["a1", "a2", "a3"]) await kit.job(id, keysOf(300), { client: "a", pace: TEN });
    await kit.job("b", keysOf(300), { client: "b", pace: TEN });
    const served = await serveSlots(kit, worker, 200);
    const share = countOf(served, "b");
    assert.ok(share >= 100 - WINDOW && share <= 100 + WINDOW, `${share} of 200`);
  });

  test("time without work earns no credit: a returning client starts level", async (kit) => {
    const worker = kit.worker();
    await kit.job("steady", keysOf(1500), { client: "a", pace: TEN });
    await kit.job("first", keysOf(3), { client: "b", pace: TEN });
    await serveSlots(kit, worker, 500);
    await kit.job("back", keysOf(300), { client: "b", pace: TEN });
    const served = await serveSlots(kit, worker, 60);
    assert.ok(countOf(served, "steady") >= 30 - WINDOW, `${countOf(served, "steady")} of 60`);
    assert.ok(countOf(served, "back") >= 30 - WINDOW, `${countOf(served, "back")} of 60`);
  });

  test("a client whose lanes are full does not block other clients", async (kit) => {
    const worker = kit.worker();
    await kit.job("wide", [], { client: "big", pace: { ...UNPACED, concurrency: 10 } });
    for (let i = 0; i < 50; i++)
      await kit.ledger.addItems("wide", planned(keysOf(100, `${i}-`), `w${i}.test`), []);
    await kit.job("tiny", keysOf(10), { client: "small", pace: { ...UNPACED, concurrency: 10 } });
    let turns = 0;
    for (let seen = 0; seen < 10; turns++) {
      const items = await worker.take(50);
      seen += items.filter(({ job }) => job === "tiny").length;
      await worker.settle(items);
      kit.pass(1);
      assert.ok(turns < 50, "the tiny job is never served");
    }
    assert.ok(turns <= 12, `${turns} claims`);
  });
};
