import assert from "node:assert/strict";
import type { PinnedScraper } from "../../domain/job.ts";
import type { ClaimedItem } from "../ledger.ts";
import { DONE, failed, settlement, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, SITE, UNPACED, type Kit } from "./test-kit.ts";

const scraper = (name: string, own: Partial<PinnedScraper> = {}): PinnedScraper => ({
  ...jobSpec("any").scrapers[0]!,
  name,
  ...own,
});

const BOTH = { scraper: "list", scrapers: [scraper("list"), scraper("town")] };

const towns = (keys: readonly string[], lane?: string) =>
  planned(keys, lane).map((item) => ({ ...item, scraper: 1 }));

const sumsUp = async (kit: Kit, job: string): Promise<void> => {
  const { received, accepted, folded, rejected, capped, states } = await kit.counts(job);
  assert.equal(received, accepted + folded + rejected + capped);
  assert.equal(
    accepted,
    Object.values(states).reduce((a, b) => a + b, 0),
  );
  assert.equal((await kit.items(job)).length, accepted);
};

const takeOne = async (kit: Kit, worker = kit.worker()): Promise<ClaimedItem> => {
  const [item] = await worker.take(1);
  assert.ok(item);
  return item;
};

export const emitting = (test: LedgerTest): void => {
  test("an emitted item has its scraper, parent and depth; a submitted one has no parent", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["list"], BOTH);
    await worker.emit(await takeOne(kit, worker), [...planned(["next"]), ...towns(["a"])]);
    const claimed = await worker.take();
    assert.deepEqual(
      claimed.map(({ key, scraper: index }) => [key, index]),
      [
        ["next", 0],
        ["a", 1],
      ],
    );
    await worker.emit(claimed[0]!, towns(["b"]));
    const shown = (await kit.items("job")).map(({ key, scraper: name, parent, depth }) => [
      key,
      name,
      parent,
      depth,
    ]);
    assert.deepEqual(shown, [
      ["list", "list", undefined, 0],
      ["next", "list", "list", 0],
      ["a", "town", "list", 1],
      ["b", "town", "next", 1],
    ]);
    assert.deepEqual(
      (await kit.items("job", { scraper: "town" })).map(({ key }) => key),
      ["a", "b"],
    );
    assert.deepEqual(await kit.items("job", { scraper: "nobody" }), []);
  });

  test("keys are folded per scraper over the whole job, wherever they come from", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["x", "y"], BOTH);
    const [x, y] = await worker.take();
    assert.ok(x && y);
    await worker.emit(x, [...planned(["x", "z"]), ...towns(["x", "z", "x"])]);
    await worker.emit(y, [...planned(["z"]), ...towns(["z", "y"], "other.test")]);
    assert.deepEqual(await kit.ledger.addItems("job", [...planned(["z"]), ...towns(["x", "new"])], []), {
      accepted: 1,
      folded: 2,
      capped: 0,
    });
    assert.deepEqual((await kit.items("job")).map(({ key, scraper: name }) => `${name} ${key}`).toSorted(), [
      "list x",
      "list y",
      "list z",
      "town new",
      "town x",
      "town y",
      "town z",
    ]);
    await sumsUp(kit, "job");
  });

  test("found inputs that do not match are counted, and kept as examples with their parent", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["list"], BOTH);
    const rejected = [{ line: 3, parent: "list", problem: "town: url: required" }];
    await worker.settle([await takeOne(kit, worker)], DONE, { emitted: towns(["a"]), rejected });
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.counts.received, view?.counts.accepted, view?.counts.rejected], [3, 2, 1]);
    assert.deepEqual(view?.rejects, rejected);
    await sumsUp(kit, "job");
  });

  test("inputs beyond the depth limit are capped, or folded if the job has them", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["0"], { ...BOTH, maxDepth: 2 });
    await worker.emit(await takeOne(kit, worker), towns(["1"]));
    await worker.emit(await takeOne(kit, worker), planned(["2"]));
    await worker.emit(await takeOne(kit, worker), towns(["3", "4", "1"]));
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.counts.accepted, view?.counts.capped, view?.cappedBy.depth], [3, 2, 2]);
    assert.equal(view?.counts.folded, 1);
    // Found again from nearer by, it is let in; the capped one is folded into it.
    assert.equal((await kit.ledger.addItems("job", towns(["3"]), [])).accepted, 1);
    assert.deepEqual(await worker.takeKeys(), ["3"]);
    const counts = await kit.counts("job");
    assert.deepEqual([counts.accepted, counts.folded, counts.capped], [4, 2, 1]);
    await sumsUp(kit, "job");
  });

  test("inputs that a scraper emits to itself have the depth of their parent, and chains have their own limit", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["0"], { scrapers: [scraper("list", { maxChain: 12 })], maxDepth: 0 });
    for (let page = 1; page <= 13; page++)
      await worker.emit(await takeOne(kit, worker), planned([String(page)]));
    const view = await kit.ledger.readJob("job");
    assert.deepEqual(
      [view?.counts.accepted, view?.cappedBy],
      [13, { items: 0, depth: 0, chain: 1, budget: 0, quota: 0 }],
    );
    assert.ok((await kit.items("job")).every(({ depth }) => depth === 0));
    await sumsUp(kit, "job");
  });

  test("the item limit does not depend on depth, and a repeated input beyond it is counted once", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["0"], { maxItems: 2 });
    await worker.emit(await takeOne(kit, worker), planned(["1", "2", "3", "2"]));
    await worker.emit(await takeOne(kit, worker), planned(["3"]));
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.counts.accepted, view?.counts.capped, view?.counts.folded], [2, 2, 2]);
    assert.deepEqual(view?.cappedBy, { items: 2, depth: 0, chain: 0, budget: 0, quota: 0 });
    await sumsUp(kit, "job");
  });

  test("a job with a raised limit continues with its capped inputs, even after its end", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["0"], { ...BOTH, maxItems: 3, maxDepth: 1 });
    await kit.ledger.sealJob("job");
    const { ledger } = kit;
    await worker.emit(await takeOne(kit, worker), towns(keysOf(1100)));
    await worker.emit(await takeOne(kit, worker), planned(["deep"]));
    await worker.settle(await worker.take());
    assert.equal((await ledger.readJob("job"))?.state, "done");
    await assert.rejects(() => ledger.raiseCaps("job", { maxItems: 2 }), code("lower-cap"));
    await assert.rejects(() => ledger.raiseCaps("job", { maxDepth: 0 }), code("lower-cap"));
    assert.equal(await ledger.raiseCaps("job", {}), 0);
    assert.equal((await ledger.readJob("job"))?.state, "done");

    assert.equal(await ledger.raiseCaps("job", { maxItems: 1000 }), 997);
    assert.equal((await ledger.readJob("job"))?.state, "running");
    await sumsUp(kit, "job");
    assert.equal(await ledger.raiseCaps("job", { maxItems: 1000 }), 0);
    assert.equal(await ledger.raiseCaps("job", { maxItems: 5000, maxDepth: 2 }), 102);
    await sumsUp(kit, "job");
    const deep = (await kit.items("job")).find(({ key }) => key === "deep");
    assert.deepEqual([deep?.scraper, deep?.depth, deep?.state], ["list", 2, "queued"]);
    for (let items = await worker.take(100); items.length > 0; items = await worker.take(100))
      await worker.settle(items);
    const view = await ledger.readJob("job");
    assert.deepEqual([view?.state, view?.counts.capped, view?.counts.states.done], ["done", 0, 1102]);
    await ledger.controlJob("job", "resume");
    await assert.rejects(() => ledger.raiseCaps("nobody", {}), code("no-such-job"));
  });

  test("a cancelled job, and one with a spent budget, accept no more items", async (kit) => {
    await kit.job("job", ["0", "1"], { maxItems: 1 });
    await kit.ledger.controlJob("job", "cancel");
    await assert.rejects(() => kit.ledger.raiseCaps("job", { maxItems: 2 }), code("job-ended"));
    await sumsUp(kit, "job");
  });

  test("a retried item finds the same inputs, and none is added twice", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["list"], BOTH);
    await kit.ledger.sealJob("job");
    const emitted = towns(["a", "b"]);
    await worker.settle([await takeOne(kit, worker)], waiting(100), { emitted });
    kit.pass(100);
    const again = (await worker.take()).find(({ key }) => key === "list")!;
    await worker.settle([again], failed("structure-changed"), { emitted });
    await kit.ledger.retryItems("job", {});
    const third = (await worker.take()).find(({ key }) => key === "list")!;
    await worker.settle([third], DONE, { emitted });
    const counts = await kit.counts("job");
    assert.deepEqual([counts.received, counts.accepted, counts.folded], [7, 3, 4]);
    assert.equal((await kit.ledger.readJob("job"))?.state, "running");
    await worker.settle([...worker.held.values()]);
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
    await sumsUp(kit, "job");
  });

  test("thousands of inputs found by one item arrive completely, in order, once, together with the item's end", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["list", "other"], BOTH);
    await kit.ledger.sealJob("job");
    const [list, other] = await worker.take();
    assert.ok(list && other);
    const keys = keysOf(7500);
    const rejected = [{ line: 1, parent: "list", problem: "none" }];
    const settled = [
      settlement(list, DONE, { emitted: towns([...keys, ...keys.slice(0, 10)]), rejected }),
      settlement(other, DONE, { emitted: towns(keys.slice(-3000)) }),
    ];
    assert.deepEqual(await kit.ledger.settle(worker.name, settled), { refused: [] });
    const counts = await kit.counts("job");
    assert.deepEqual([counts.accepted, counts.folded, counts.rejected], [7502, 3010, 1]);
    assert.equal(counts.states.done, 2);
    const found = await kit.items("job", { scraper: "town" });
    assert.deepEqual(
      found.map(({ key }) => key),
      keys,
    );
    assert.ok(found.every(({ parent, depth }) => parent === "list" && depth === 1));
    await sumsUp(kit, "job");
  });

  test("a settle with a lost lease emits nothing", async (kit) => {
    const [lost, next] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", ["list"], BOTH);
    const list = await takeOne(kit, lost);
    await lost.pulse({ running: [] });
    await kit.ledger.reap({ worker: "w1" });
    assert.equal((await lost.emit(list, towns(keysOf(5000)))).refused.length, 1);
    assert.equal((await kit.counts("job")).received, 1);
    await next.emit(await takeOne(kit, next), towns(keysOf(5000)));
    assert.equal((await lost.emit(list, towns(keysOf(5000, "late")))).refused.length, 1);
    assert.equal((await kit.counts("job")).received, 5001);
    await sumsUp(kit, "job");
  });

  test("if a worker is lost while its found inputs are added, none is lost or doubled", async (kit) => {
    const [lost, next] = [kit.worker("w1"), kit.worker("w2")];
    const other = await kit.another();
    await kit.job("job", ["list"], BOTH);
    await kit.ledger.sealJob("job");
    const list = await takeOne(kit, lost);
    await lost.pulse({ running: [] });
    const keys = keysOf(6000);
    const [{ refused }] = await Promise.all([lost.emit(list, towns(keys)), other.reap({ worker: "w1" })]);
    await sumsUp(kit, "job");
    const left = (await next.take(10_000)).filter(({ key }) => key === "list");
    assert.equal(left.length, refused.length);
    for (const item of left) await next.emit(item, towns(keys));
    assert.deepEqual(
      (await kit.items("job", { scraper: "town" })).map(({ key }) => key).toSorted(),
      keys.toSorted(),
    );
    await next.take(10_000);
    await next.settle([...next.held.values()]);
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
    await sumsUp(kit, "job");
  });

  test("a queue keeps the slower pace of the scrapers that have items in it", async (kit) => {
    const worker = kit.worker();
    const paced = (perSecond: number) => ({ ...UNPACED, perSecond });
    const scrapers = [
      scraper("list", { pace: paced(100) }),
      scraper("town", { pace: paced(2) }),
      scraper("fast", { pace: paced(50) }),
    ];
    await kit.job("job", ["list"], { scraper: "list", pace: paced(100), scrapers });
    const rates = async () =>
      Object.fromEntries(
        (await kit.ledger.listLanes({ job: "job", limit: 200 })).map(({ lane, perSecond }) => [
          lane,
          perSecond,
        ]),
      );
    const list = await takeOne(kit, worker);
    assert.deepEqual(await rates(), { [SITE]: 100 });
    const fast = planned(["f"], "fast.test").map((item) => ({ ...item, scraper: 2 }));
    await worker.emit(list, [...towns(["a"]), ...planned(["next"]), ...fast]);
    assert.deepEqual(await rates(), { [SITE]: 2, "fast.test": 50 });
  });

  test("an outcome is weighed by the policy of the scraper that ran the item", async (kit) => {
    const worker = kit.worker();
    const lenient = { blocked: { breakerWeight: 0 } };
    const scrapers = [scraper("list"), scraper("town", { policy: lenient })];
    await kit.job("job", keysOf(5), { scraper: "list", scrapers });
    const { queue } = await takeOne(kit, worker);
    const outcomes = (index: number) =>
      Array.from({ length: 40 }, () => ({ queue, scraper: index, result: "blocked", attempt: 1 }) as const);
    await worker.pulse({ outcomes: outcomes(1) });
    assert.deepEqual((await kit.ledger.readJob("job"))?.held, []);
    await worker.pulse({ outcomes: outcomes(0) });
    assert.equal((await kit.ledger.readJob("job"))?.held.length, 1);
  });

  test("inputs beyond the client's daily quota are capped, and accepted on a day with room for them", async (kit) => {
    const { ledger } = kit;
    const worker = kit.worker();
    kit.nowMs = 1_750_000_000_000;
    await ledger.setShare("team", { weight: 1, itemsPerDay: 5 });
    await kit.job("job", ["root", "more"]);
    await ledger.sealJob("job");
    const [root, more] = await worker.take(2);
    await worker.emit(root!, planned(keysOf(6)));
    const capped = async () => {
      const view = (await ledger.readJob("job"))!;
      return [view.counts.accepted, view.cappedBy.quota, view.counts.capped];
    };
    assert.deepEqual(await capped(), [5, 3, 3]);
    assert.equal(await ledger.countAccepted("team", 0), 5);
    await worker.emit(more!, planned(["k5", "other"]));
    assert.deepEqual(await capped(), [5, 4, 4]);
    await worker.settle(await worker.take());
    assert.equal((await ledger.readJob("job"))?.state, "done");
    assert.equal(await ledger.raiseCaps("job", {}), 0);
    kit.pass(86_400_000);
    assert.equal(await ledger.raiseCaps("job", {}), 4);
    assert.deepEqual(await capped(), [9, 0, 0]);
    assert.equal(await ledger.countAccepted("team", kit.nowMs - 3_600_000), 4);
    await worker.settle(await worker.take());
    assert.equal((await ledger.readJob("job"))?.state, "done");
  });
};
