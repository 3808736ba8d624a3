import assert from "node:assert/strict";
import { DONE, failed, RETURNED, settlement, waiting } from "./sim-worker.ts";
import { jobSpec, keysOf, LEASE_MS, type LedgerTest, planned, SITE, UNPACED } from "./test-kit.ts";

export const leases = (test: LedgerTest): void => {
  test("an item is leased to one worker at a time", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2", await kit.another())];
    await kit.job("job", keysOf(10));
    const [first, second] = await Promise.all([one.takeKeys(5), two.takeKeys(5)]);
    assert.deepEqual([...first, ...second].toSorted(), keysOf(10).toSorted());
    assert.deepEqual(await one.takeKeys(), []);
    assert.equal((await kit.counts("job")).states.leased, 10);
  });

  test("a settle by another worker, under another lease or of another item is refused and changes nothing", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(4));
    const [a, b] = await one.take(2);
    const [c] = await two.take(1);
    assert.ok(a && b && c);
    const before = await kit.ledger.readJob("job");
    const tries = [
      { worker: "w2", item: settlement(a, DONE) },
      { worker: "w1", item: settlement(a, DONE, { lease: a.lease + 1 }) },
      { worker: "w2", item: settlement(a, DONE, { lease: c.lease }) },
      { worker: "w2", item: settlement(c, DONE, { seq: b.seq }) },
      { worker: "w1", item: settlement(a, DONE, { lease: 999_999 }) },
      { worker: "w1", item: settlement(a, failed("timeout"), { seq: 999 }) },
      { worker: "nobody", item: settlement(a, waiting(5)) },
    ];
    for (const { worker, item } of tries) {
      const { refused } = await kit.ledger.settle(worker, [{ ...item, emitted: planned(["new"]) }]);
      assert.deepEqual(refused, [{ queue: item.queue, seq: item.seq }]);
    }
    assert.deepEqual(await kit.ledger.readJob("job"), before);
    assert.deepEqual((await one.settle([a, b])).refused, []);
    assert.deepEqual((await two.settle([c])).refused, []);
  });

  test("a second settle of the same item changes nothing, and is refused unless it is identical", async (kit) => {
    const worker = kit.worker();
    for (const outcome of [
      DONE,
      failed("timeout"),
      waiting(1000),
      RETURNED,
      { state: "absent", detail: "none" } as const,
    ]) {
      const id = `job-${outcome.state}`;
      await kit.job(id, ["a"]);
      const [item] = await worker.take(1, { jobs: [id] });
      assert.ok(item);
      assert.deepEqual((await worker.settle([item], outcome)).refused, []);
      const before = await kit.ledger.readJob(id);
      assert.equal((await worker.settle([item])).refused.length, outcome === DONE ? 0 : 1, outcome.state);
      assert.equal((await worker.settle([item], RETURNED)).refused.length, 1, outcome.state);
      if (outcome !== RETURNED)
        assert.deepEqual((await worker.settle([item], outcome)).refused, [], "sent again");
      assert.deepEqual(await kit.ledger.readJob(id), before);
    }
  });

  test("a returned item that another worker has claimed is not the first worker's any more, whose other items continue", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(3));
    const items = await one.take(3);
    await one.settle([items[1]!], RETURNED);
    const again = await two.take();
    assert.deepEqual(
      again.map(({ key }) => key),
      ["k1"],
    );
    assert.deepEqual((await one.settle(items)).refused, [{ queue: items[1]!.queue, seq: items[1]!.seq }]);
    assert.equal((await kit.item("job", "k1")).state, "leased");
    assert.deepEqual((await two.settle(again)).refused, []);
    assert.equal((await kit.counts("job")).states.done, 3);
  });

  test("a batch settles the valid items and refuses the rest", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3));
    const [a, b, c] = await worker.take();
    assert.ok(a && b && c);
    await worker.settle([b], failed("timeout"));
    assert.deepEqual((await worker.settle([a, b, c])).refused, [{ queue: b.queue, seq: b.seq }]);
    assert.equal((await kit.counts("job")).states.done, 2);
  });

  test("a returned item goes to the front of the queue unchanged; its cost is counted", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(40));
    const items = await worker.take(4);
    await worker.settle([items[1]!], RETURNED);
    const view = await kit.item("job", "k1");
    assert.deepEqual([view.state, view.attempts, view.history], ["queued", 0, []]);
    const again = await worker.take(8);
    const item = again.find(({ key }) => key === "k1");
    assert.deepEqual([item?.attempt, item?.throttles], [1, 0]);
    assert.notEqual(item?.lease, items[1]!.lease);
    assert.equal((await kit.ledger.readJob("job"))?.requests, 1);
  });

  test("a lease lasts as long as its worker sends pulses, and not much longer", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(3));
    const items = await one.take(3);
    for (let i = 0; i < 5; i++) {
      kit.pass(LEASE_MS - 1);
      assert.equal((await one.pulse({ running: [] })).isAlive, true);
      assert.deepEqual(await kit.ledger.reap({}), { workers: 0, suspects: 0, returned: 0 });
    }
    assert.deepEqual(await two.takeKeys(), []);
    kit.pass(LEASE_MS + 1);
    assert.deepEqual((await two.takeKeys()).toSorted(), keysOf(3));
    assert.equal((await one.settle(items)).refused.length, 3);
    assert.deepEqual((await two.settle([...two.held.values()])).refused, []);
  });

  test("a claim renews the leases as a pulse does", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(2));
    const [first] = await worker.take(1);
    assert.ok(first);
    kit.pass(LEASE_MS - 1);
    await worker.take(1);
    kit.pass(LEASE_MS - 1);
    assert.equal((await kit.ledger.reap({})).workers, 0);
    assert.deepEqual((await worker.settle([first])).refused, []);
  });

  test("a worker that was given up learns it, and gets no slots", async (kit) => {
    const worker = kit.worker();
    await kit.job("paced", ["a", "b"], { pace: { perSecond: 10, burst: 1, concurrency: 9 } });
    await kit.job("open", ["c"], { pace: UNPACED, lane: "open.test" });
    const items = await worker.take();
    await kit.ledger.reap({ worker: "w1" });
    kit.pass(2000);
    const wishes = items.map(({ lane, queue }) => ({ lane, queue, count: 1 }));
    const reply = await worker.pulse({ wishes });
    assert.equal(reply.isAlive, false);
    assert.deepEqual([reply.slots, reply.unpaced], [[], []]);
  });

  test("the earlier leases of a worker that was given up stay lost, even if it claims the same item again at once", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    const [before] = await worker.take(1);
    await worker.pulse({ running: [] });
    await kit.ledger.reap({ worker: worker.name });
    worker.held.clear();
    const [after] = await worker.take(1);
    assert.deepEqual([after?.key, after?.attempt], ["a", 1]);
    const late = settlement(before!, failed("timeout"));
    assert.equal((await kit.ledger.settle(worker.name, [late])).refused.length, 1);
    assert.deepEqual((await worker.settle([after!])).refused, []);
  });

  test("a worker that was given up also learns it from a claim before its next pulse", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(5));
    await one.take(2);
    await one.pulse({ running: [] });
    await kit.ledger.reap({ worker: "w1" });
    await two.take(2);
    await one.claim(1);
    assert.equal((await one.pulse()).isAlive, false);
    one.held.clear();
    await one.claim(1);
    assert.equal((await one.pulse()).isAlive, true);
  });

  test("a claim for some jobs returns no items of others, and does not ask the worker to hurry because of them", async (kit) => {
    const worker = kit.worker();
    await kit.job("mine", ["a"], { lane: "mine.test" });
    await kit.job("other", keysOf(5));
    await kit.job("both", ["b"]);
    assert.deepEqual((await worker.takeKeys(100, { jobs: ["mine", "both"] })).toSorted(), ["a", "b"]);
    const { items, againInMs } = await worker.claim(100, { jobs: ["mine", "both"] });
    assert.deepEqual(items, []);
    assert.ok(againInMs === undefined || againInMs >= 20, `again in ${againInMs} ms`);
    assert.equal((await worker.take(100)).length, 5);
  });

  test("a claim that waits for a retry is not repeated at once because of other jobs' items in the lane", async (kit) => {
    const worker = kit.worker();
    await kit.job("mine", ["a"]);
    await worker.settle(await worker.take(), waiting(30_000));
    await kit.job("theirs", keysOf(50));
    const { items, againInMs } = await worker.claim(10, { jobs: ["mine"] });
    assert.equal(items.length, 0);
    assert.ok(againInMs! >= 10, `${againInMs} ms`);
  });

  test("a waiting worker learns at once of work that exists, becomes due or is added", async (kit) => {
    const worker = kit.worker();
    await kit.job("mine", keysOf(20), { pace: { perSecond: 10, burst: 1, concurrency: 100 } });
    assert.equal(await kit.ledger.awaitWork({}, 0), true);
    assert.equal((await worker.take(100)).length, 11);
    assert.equal(await kit.ledger.awaitWork({}, 0), false);
    const { againInMs } = await worker.claim();
    kit.pass(againInMs!);
    assert.equal(await kit.ledger.awaitWork({}, 0), true);
    assert.equal(await kit.ledger.awaitWork({ jobs: ["other"] }, 0), false);
    const [here, elsewhere] = [kit.ledger, await kit.another()];
    for (const [n, ledger] of [here, elsewhere].entries()) {
      const lanes = [`new-${n}.test`];
      const hears = here.awaitWork({ lanes }, 600_000);
      await ledger.createJob(jobSpec(`new-${n}`));
      await ledger.addItems(`new-${n}`, planned(["a"], lanes[0]), []);
      assert.equal(await hears, true);
    }
  });

  test("a waiting worker learns of suspects, and is not woken by other writes", async (kit) => {
    await kit.job("job", ["a"]);
    await kit.worker("dead").take();
    assert.equal(await kit.ledger.awaitWork({}, 0), false);
    await kit.worker("idle", await kit.another()).claim();
    assert.equal(await kit.ledger.awaitWork({}, 0), false);
    await kit.ledger.reap({ worker: "dead", cause: { blame: "unknown", detail: "killed" } });
    assert.equal(await kit.ledger.awaitWork({}, 0), true);
  });

  test("the list of workers says what each holds and until when", async (kit) => {
    const one = kit.worker("w1");
    await kit.job("job", keysOf(3));
    await one.take(2);
    kit.pass(1000);
    await kit.worker("w2").takeAlone();
    assert.deepEqual(await kit.ledger.listWorkers(), [
      {
        name: "w1",
        isAlone: false,
        items: 2,
        holds: [{ job: "job", lane: SITE, items: 2 }],
        leaseMs: LEASE_MS - 1000,
      },
      { name: "w2", isAlone: true, items: 0, holds: [], leaseMs: LEASE_MS },
    ]);
    await kit.ledger.reap({ worker: "w1" });
    assert.deepEqual(
      (await kit.ledger.listWorkers()).map(({ name }) => name),
      ["w2"],
    );
  });

  test("a pulse says which queues have stopped, and books nothing for them", async (kit) => {
    const worker = kit.worker();
    const pace = { perSecond: 10, burst: 1, concurrency: 9 };
    await kit.job("paused", keysOf(9), { pace });
    await kit.job("cancelled", keysOf(9), { pace, lane: "b.test" });
    await kit.job("goes", keysOf(9), { pace, lane: "c.test" });
    const items = await worker.take(27);
    const queueOf = (job: string) => items.find((item) => item.job === job)!.queue;
    await kit.ledger.controlJob("paused", "pause");
    await kit.ledger.controlJob("cancelled", "cancel");
    kit.pass(2000);
    const wishes = [
      { lane: SITE, queue: queueOf("paused"), count: 1 },
      { lane: "b.test", queue: queueOf("cancelled"), count: 1 },
      { lane: "c.test", queue: queueOf("cancelled"), count: 1 },
      { lane: "c.test", queue: queueOf("goes"), count: 1 },
    ];
    const reply = await worker.pulse({ wishes });
    const sorted = (queues: readonly number[]) => queues.toSorted((a, b) => a - b);
    assert.deepEqual(sorted(reply.stopped), sorted([queueOf("paused"), queueOf("cancelled")]));
    assert.deepEqual(
      reply.slots.map(({ lane, delaysMs }) => [lane, delaysMs.length]),
      [["c.test", 1]],
    );
    await kit.ledger.controlJob("paused", "resume");
    assert.deepEqual((await worker.pulse()).stopped, [queueOf("cancelled")]);
  });

  for (const hours of [-1, 1, -24])
    test(`a clock that is set by ${hours} hours stops no lane, moves no retry, and ends only the leases of dead workers`, async (kit) => {
      const [dead, worker] = [kit.worker("dead"), kit.worker()];
      await kit.job("job", keysOf(9), { pace: { perSecond: 1, burst: 1, concurrency: 9 } });
      await dead.take(1);
      await dead.pulse({ running: [] });
      kit.pass(1500);
      const [held] = await worker.take(1);
      kit.pass(1000);
      await worker.settle(await worker.take(1), waiting(60_000));
      kit.setClock(hours * 3_600_000);
      assert.equal((await worker.pulse()).isAlive, true);
      let done = 0;
      for (let i = 0; i < 58; i++) {
        const items = await worker.take();
        await worker.settle(items);
        done += items.length;
        kit.pass(1000);
        if (i < 8) assert.equal((await worker.pulse({ running: [held!] })).isAlive, true);
      }
      assert.equal(done, 7, "all but what is held and what waits, and what the dead worker had");
      kit.pass(2000);
      await worker.settle([...(await worker.take()), held!]);
      assert.equal((await kit.counts("job")).states.done, 9);
    });

  test("setting the clock back does not extend the lifetime of robots.txt", async (kit) => {
    const { ledger } = kit;
    const worker = kit.worker();
    await worker.take();
    await ledger.keepRobots(SITE, { text: "", keepMs: 60_000 });
    kit.setClock(-24 * 3_600_000);
    await worker.take();
    const reply = await ledger.readRobots(SITE, worker.name);
    assert.deepEqual(reply, { known: { text: "", keepMs: 60_000 } });
  });

  test("Retry-After is respected even if the clock is set", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3));
    await worker.take(1);
    await worker.pulse({
      lanes: [{ lane: "site.test", kind: "rate-limited", count: 1, retryAfterMs: 600_000 }],
    });
    kit.setClock(3_600_000);
    assert.deepEqual(await worker.takeKeys(), []);
    for (let i = 0; i < 70; i++) {
      kit.pass(8000);
      await worker.pulse();
      assert.deepEqual(await worker.takeKeys(), []);
    }
    kit.pass(60_000);
    assert.equal((await kit.worker("w2").takeKeys()).length > 0, true);
  });
};
