import assert from "node:assert/strict";
import { workerInfo, keysOf, type LedgerTest, planned, SITE, UNPACED, type Kit } from "./test-kit.ts";

const TEN = { perSecond: 10, burst: 1, concurrency: 100 };

const laneOf = async ({ ledger }: Kit, name = SITE) =>
  (await ledger.listLanes({ limit: 1000 })).find(({ lane }) => lane === name);

export const operator = (test: LedgerTest): void => {
  test("lanes are read by name, page by page, with their backlog and their items in flight", async (kit) => {
    const worker = kit.worker();
    await kit.job("one", [], { pace: TEN });
    const items = Array.from({ length: 250 }, (_, i) => planned([`a${i}`, `b${i}`], `h${i}.test`));
    await kit.ledger.addItems("one", items.flat(), []);
    await kit.job("two", ["x"], { lane: "h7.test", client: "b" });
    const names: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await kit.ledger.listLanes({ limit: 100, ...(after && { after }) });
      names.push(...page.map(({ lane }) => lane));
      after = page.at(-1)?.lane;
      if (page.length < 100) break;
    }
    assert.deepEqual(
      names,
      items.map(([first]) => first!.lane).toSorted((a, b) => (a < b ? -1 : 1)),
    );
    const [taken] = await worker.take(1, { lanes: ["h7.test"], jobs: ["one"] });
    const state = await laneOf(kit, "h7.test");
    assert.deepEqual(state, {
      lane: "h7.test",
      perSecond: 10,
      factor: 1,
      holdMs: 0,
      operatorPerSecond: null,
      isHeldByOperator: false,
      backlog: 3,
      heldJobs: 0,
      inFlight: 1,
      usedPerSecond: 0,
    });
    await worker.settle([taken!]);
    await worker.pulse();
    const after = await laneOf(kit, "h7.test");
    assert.deepEqual([after?.backlog, after?.inFlight], [2, 0]);
  });

  test("an operator's pace applies if it is the lowest, until it is removed", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(90), { pace: TEN });
    await kit.ledger.controlLane(SITE, { perSecond: 2 });
    assert.deepEqual((await worker.claim()).slots[0]?.delaysMs, [0, 500, 1000]);
    assert.equal((await laneOf(kit))?.perSecond, 2);
    await kit.ledger.controlLane(SITE, { perSecond: 50 });
    assert.deepEqual([(await laneOf(kit))?.perSecond, (await laneOf(kit))?.operatorPerSecond], [10, 50]);
    await kit.ledger.controlLane(SITE, { perSecond: null });
    assert.deepEqual([(await laneOf(kit))?.perSecond, (await laneOf(kit))?.operatorPerSecond], [10, null]);
    kit.pass(5000);
    assert.equal((await worker.take()).length, 11);
  });

  test("an operator's pace gives a rate to a lane that has none, including hops", async (kit) => {
    const worker = kit.worker();
    await kit.ledger.controlLane(SITE, { perSecond: 4 });
    await kit.job("job", keysOf(90), { pace: UNPACED });
    const grant = await worker.claim();
    assert.deepEqual([grant.items.length, grant.unpaced], [5, []]);
    kit.pass(1000);
    const [{ queue }] = grant.items as [(typeof grant.items)[0]];
    const reply = await worker.pulse({ wishes: [{ lane: SITE, queue, count: 9 }] });
    assert.deepEqual([reply.unpaced, reply.slots[0]?.delaysMs.length], [[], 4]);
  });

  test("a held lane starts nothing, not even hops, until it is released; others go on", async (kit) => {
    const worker = kit.worker();
    await kit.job("held", keysOf(9), { pace: TEN });
    await kit.job("free", keysOf(9), { pace: UNPACED, lane: "b.test" });
    const [item] = await worker.take(1, { jobs: ["held"] });
    await kit.ledger.controlLane(SITE, { isHeld: true });
    await kit.ledger.controlLane(SITE, { isHeld: true });
    kit.pass(5000);
    assert.deepEqual([...new Set((await worker.take()).map(({ lane }) => lane))], ["b.test"]);
    const reply = await worker.pulse({ wishes: [{ lane: SITE, queue: item!.queue, count: 1 }] });
    assert.deepEqual([reply.slots, reply.unpaced], [[], ["b.test"]]);
    const state = await laneOf(kit);
    assert.deepEqual([state?.isHeldByOperator, state?.holdReason], [true, "operator"]);
    assert.equal((await kit.ledger.listLanes({ job: "held", limit: 200 }))[0]?.holdReason, "operator");
    await kit.ledger.controlLane(SITE, { isHeld: false });
    assert.equal((await worker.take()).length, 8);
    const told = (await kit.ledger.events.read({ job: "held", limit: 100 })).filter(({ type }) =>
      type.startsWith("lane."),
    );
    assert.deepEqual(
      told.map(({ type, facts }) => [type, facts]),
      [
        ["lane.held", { lane: SITE, by: "operator" }],
        ["lane.released", { lane: SITE, by: "operator" }],
      ],
    );
    assert.deepEqual(
      (await kit.ledger.events.read({ job: "free", limit: 100 })).map(({ type }) => type),
      ["job.started"],
    );
  });

  test("a held lane without a rate, and its suspects, wait as well", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3), { pace: UNPACED });
    await worker.take(1);
    await kit.ledger.reap({ worker: "w1" });
    await kit.ledger.controlLane(SITE, { isHeld: true });
    assert.deepEqual(await kit.worker("w2").takeKeys(), []);
    assert.equal(await kit.worker("w3").takeAlone(), undefined);
    await kit.ledger.controlLane(SITE, { isHeld: false });
    assert.deepEqual(await kit.worker("w2").takeKeys(), ["k1", "k2"]);
    assert.equal((await kit.worker("w3").takeAlone())?.key, "k0");
  });

  test("a worker that asks for some lanes gets only those, and its share of places is counted only there", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", [], { pace: { ...UNPACED, concurrency: 10 } });
    for (const lane of ["a.test", "b.test"])
      await kit.ledger.addItems("job", planned(keysOf(30, lane), lane), []);
    await kit.ledger.registerWorker(workerInfo("w2", { lanes: ["b.test", "none.test"] }));
    const mine = await two.take(100, { lanes: ["b.test", "none.test"] });
    assert.deepEqual([mine.length, ...new Set(mine.map(({ lane }) => lane))], [10, "b.test"]);
    await two.settle(mine);
    await two.pulse();
    const lanes = (await one.take(100)).map(({ lane }) => lane);
    assert.equal(lanes.filter((lane) => lane === "a.test").length, 10);
    assert.equal(lanes.filter((lane) => lane === "b.test").length, 5);
    assert.deepEqual(await two.take(100, { lanes: [] }), []);
  });

  test("workers are listed with their own information, before and after their first claim", async (kit) => {
    const worker = kit.worker("w1");
    await kit.ledger.registerWorker(workerInfo("w1", { lanes: [SITE], kinds: ["http"] }));
    await kit.ledger.registerWorker(workerInfo("w0"));
    await kit.job("job", keysOf(3));
    await worker.take(2);
    const [idle, busy] = await kit.ledger.listWorkers();
    assert.deepEqual(idle, { ...workerInfo("w0"), isAlone: false, items: 0, holds: [], leaseMs: 0 });
    assert.deepEqual(busy, {
      ...workerInfo("w1", { lanes: [SITE], kinds: ["http"] }),
      isAlone: false,
      items: 2,
      holds: [{ job: "job", lane: SITE, items: 2 }],
      leaseMs: (await kit.ledger.listWorkers())[1]?.leaseMs,
    });
    await kit.ledger.reap({ worker: "w1" });
    assert.deepEqual(
      (await kit.ledger.listWorkers()).map(({ name }) => name),
      ["w0"],
    );
  });

  test("a draining worker gets nothing more, keeps what it has, and leaves its places to others", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(30), { pace: { ...UNPACED, concurrency: 10 } });
    await two.claim(0);
    const held = await one.take(2);
    await kit.ledger.registerWorker(workerInfo("w1", { isDraining: true }));
    const grant = await one.claim();
    assert.deepEqual([grant.items, grant.againInMs], [[], undefined]);
    assert.equal((await one.pulse()).isAlive, true);
    assert.equal((await two.take(100)).length, 8);
    assert.deepEqual((await one.settle(held)).refused, []);
  });

  test("a worker that was given up and registers again still learns that its leases are lost", async (kit) => {
    const worker = kit.worker("w1");
    await kit.job("job", keysOf(3));
    await worker.take(2);
    await kit.ledger.reap({ worker: "w1" });
    await kit.ledger.registerWorker(workerInfo("w1"));
    assert.equal((await worker.pulse()).isAlive, false);
  });

  test("a worker that registered and never sent a pulse is forgotten after a while, one that works is not", async (kit) => {
    const worker = kit.worker("w1");
    await kit.ledger.registerWorker(workerInfo("w0"));
    await kit.ledger.registerWorker(workerInfo("w1"));
    await kit.job("job", keysOf(3));
    await worker.take(1);
    for (let minute = 0; minute < 15; minute++) {
      kit.pass(60_000);
      await worker.claim(0);
      await kit.ledger.tidy();
    }
    const listed = await kit.ledger.listWorkers();
    assert.deepEqual(
      listed.map(({ name, host }) => [name, host]),
      [["w1", "host-1"]],
    );
  });

  test("a site's Retry-After holds a lane for an hour at most, and an operator ends the hold sooner", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(90), { pace: TEN });
    await worker.take(1);
    const limited = { lane: SITE, kind: "rate-limited", count: 1, retryAfterMs: 86_400_000 } as const;
    await worker.pulse({ lanes: [limited] });
    assert.deepEqual(
      [(await laneOf(kit))?.holdMs, (await laneOf(kit))?.holdReason],
      [3_600_000, "rate-limited"],
    );
    kit.pass(2000);
    assert.deepEqual(await worker.take(), []);
    await kit.ledger.controlLane(SITE, { isHeld: false });
    const lane = await laneOf(kit);
    assert.deepEqual([lane?.holdMs, lane?.holdReason], [0, undefined]);
    assert.ok((await worker.take()).length > 0);
    const told = (await kit.ledger.events.read({ limit: 100 })).filter(
      ({ type }) => type === "lane.released",
    );
    assert.deepEqual(told[0]?.facts, { lane: SITE, by: "operator" });
  });

  test("a lane that is reset has its full speed at once, and keeps the pace that an operator has set", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(90), { pace: TEN });
    await kit.ledger.controlLane(SITE, { perSecond: 5 });
    await worker.take();
    const limited = { lane: SITE, kind: "rate-limited", count: 1, retryAfterMs: 60_000 } as const;
    await worker.pulse({ lanes: [limited], crawlDelays: [{ lane: SITE, delayMs: 50_000 }] });
    await kit.ledger.controlLane(SITE, { isHeld: true });
    assert.deepEqual(await worker.take(), []);
    await kit.ledger.controlLane(SITE, { isReset: true });
    const { factor, holdMs, isHeldByOperator, perSecond } = (await laneOf(kit))!;
    assert.deepEqual([factor, holdMs, isHeldByOperator, perSecond], [1, 0, false, 5]);
    assert.deepEqual((await worker.claim()).slots[0]?.delaysMs, [200, 400, 600, 800, 1000]);
  });
};
