import assert from "node:assert/strict";
import type { LaneBacklog } from "../../domain/scale.ts";
import { DONE, waiting } from "./sim-worker.ts";
import {
  jobSpec,
  type Kit,
  keysOf,
  type LedgerTest,
  planned,
  SITE,
  UNPACED,
  workerInfo,
} from "./test-kit.ts";

const PACE = { perSecond: 10, burst: 1, concurrency: 4 };

const seen = async (kit: Kit): Promise<readonly LaneBacklog[]> => (await kit.ledger.readBacklog()).lanes;
const items = async (kit: Kit): Promise<number> =>
  (await seen(kit)).reduce((sum, lane) => sum + lane.items, 0);

export const backlog = (test: LedgerTest): void => {
  test("similar lanes are reported together: what can run, and what runs", async (kit) => {
    assert.deepEqual(await kit.ledger.readBacklog(), { lanes: [], workers: [], work: {} });
    await kit.job("job", [], { pace: PACE });
    const lanes = ["a.test", "b.test", "c.test"];
    for (const lane of lanes) await kit.ledger.addItems("job", planned(keysOf(5, lane), lane), []);
    const same = { kind: "http", perSecond: 10, places: 4, ready: 4 } as const;
    assert.deepEqual(await seen(kit), [{ ...same, lanes: 3, items: 15 }]);
    const worker = kit.worker();
    const [first] = await worker.take(1);
    assert.deepEqual(await seen(kit), [{ ...same, lanes: 3, items: 15 }], "what is in flight counts");
    await worker.settle([first!], DONE);
    assert.deepEqual(await items(kit), 14);
    const [one] = (await kit.ledger.readBacklog({ lanes: ["b.test", "other.test"] })).lanes;
    assert.equal(one?.lanes, 1);
    assert.deepEqual(await (await kit.another()).readBacklog(), await kit.ledger.readBacklog());
  });

  test("jobs of all clients share a lane's rate and places; jobs that may need a browser are separate", async (kit) => {
    await kit.job("a", keysOf(2), { pace: PACE });
    await kit.job("b", keysOf(3), { client: "other", pace: { ...PACE, perSecond: 5 } });
    assert.deepEqual(await seen(kit), [
      { kind: "http", perSecond: 5, places: 4, ready: 4, lanes: 1, items: 5 },
    ]);
    const [root] = jobSpec("c", { pace: UNPACED }).scrapers;
    await kit.job("c", ["x"], { lane: "c.test", scrapers: [root!, { ...root!, kind: "auto" }] });
    const [browser] = (await seen(kit)).filter(({ kind }) => kind === "browser");
    assert.deepEqual([browser?.perSecond, browser?.ready], [Infinity, 1]);
  });

  test("a job's own lower pace and the operator's limit are respected", async (kit) => {
    const [root] = jobSpec("own", { pace: { ...PACE, perSecond: 2, concurrency: 1 } }).scrapers;
    await kit.job("own", keysOf(9), { scrapers: [{ ...root!, sitePace: PACE }] });
    assert.deepEqual(await seen(kit), [
      { kind: "http", perSecond: 2, places: 1, ready: 1, lanes: 1, items: 9 },
    ]);
    await kit.ledger.controlLane(SITE, { perSecond: 1 });
    assert.equal((await seen(kit))[0]?.perSecond, 1);
  });

  test("held, paused and full lanes have only items in flight", async (kit) => {
    await kit.job("job", keysOf(9), { pace: UNPACED });
    const worker = kit.worker();
    const taken = await worker.take(2);
    await kit.ledger.controlLane(SITE, { isHeld: true });
    assert.equal(await items(kit), 2);
    await kit.ledger.controlLane(SITE, { isHeld: false });
    assert.equal(await items(kit), 9);
    await kit.ledger.controlJob("job", "pause");
    assert.equal(await items(kit), 2);
    await kit.ledger.controlJob("job", "resume");
    await kit.ledger.setShare("team", { weight: 1, maxRunning: 2 });
    assert.equal(await items(kit), 2);
    await worker.settle(taken, DONE);
    await worker.pulse();
    assert.equal(await items(kit), 7);
    await kit.ledger.controlJob("job", "cancel");
    assert.deepEqual(await seen(kit), []);
  });

  test("waiting items count when they are due, and the ledger says when that is", async (kit) => {
    await kit.job("job", keysOf(3), { pace: UNPACED });
    const worker = kit.worker();
    const [a, b, c] = await worker.take(3);
    await worker.settle([a!], waiting(60_000));
    await worker.settle([b!], waiting(30_000));
    await worker.settle([c!], DONE);
    const { lanes, nextInMs } = await kit.ledger.readBacklog();
    assert.deepEqual([lanes, nextInMs], [[], 30_000]);
    kit.pass(30_000);
    assert.equal(await items(kit), 1);
    kit.pass(30_000);
    assert.equal(await items(kit), 2);
    await kit.ledger.reap({});
    assert.equal(await items(kit), 2);
  });

  test("a held lane that may be probed, and items that wait for a process of their own, need a worker", async (kit) => {
    await kit.job("job", keysOf(50), { pace: UNPACED });
    const worker = kit.worker();
    const [item] = await worker.take(1);
    await worker.tell(item!.queue, "blocked", 25);
    await worker.settle([item!], waiting(0, "blocked"));
    const { lanes, nextInMs } = await kit.ledger.readBacklog();
    assert.deepEqual([lanes, nextInMs], [[], 60_000]);
    kit.pass(60_000);
    assert.equal(await items(kit), 1);
    await kit.job("poison", ["p"], { lane: "p.test", pace: UNPACED });
    await kit.worker("w2").take(1, { jobs: ["poison"] });
    await kit.ledger.reap({ worker: "w2", cause: { blame: "unknown", detail: "gone" } });
    const { lanes: both } = await kit.ledger.readBacklog({ lanes: ["p.test"] });
    assert.deepEqual(
      both.map((lane) => lane.items),
      [1],
    );
  });

  test("claiming workers are reported with what they take, and what items cost", async (kit) => {
    const { ledger } = kit;
    await ledger.registerWorker(workerInfo("w1", { cores: 2, memoryMb: 900 }), {
      "http items": 7,
      "own troubles": 1,
    });
    await ledger.registerWorker(workerInfo("w2", { kinds: ["browser", "auto"], browserConcurrency: 3 }));
    await ledger.registerWorker(workerInfo("w3", { kinds: ["http"], isDraining: true }));
    await kit.worker("w1").claim(0);
    await kit.worker("alone").claim(0, { alone: true });
    const { workers, work } = await ledger.readBacklog();
    assert.deepEqual(
      workers.toSorted((a, b) => b.kinds.length - a.kinds.length),
      [
        { kinds: ["http", "browser"], capacity: { http: 200 }, cores: 2, memoryMb: 900 },
        { kinds: ["browser"], capacity: { http: 200, browser: 3 } },
      ],
    );
    assert.deepEqual(work, { "http items": 7 });
  });
};
