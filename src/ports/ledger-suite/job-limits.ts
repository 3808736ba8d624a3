import assert from "node:assert/strict";
import type { ItemState } from "../../domain/item.ts";
import { DONE, failed, RETURNED, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, UNPACED, type Kit } from "./test-kit.ts";

const stateOf = async ({ ledger }: Kit, job: string) => (await ledger.readJob(job))?.state;

const factsOf = async ({ ledger }: Kit, type: string) =>
  (await ledger.events.read({ limit: 100 })).filter((event) => event.type === type).map(({ facts }) => facts);

const attempt = { startedAt: 1, ms: 2, requests: 1, bytes: 100 };

export const jobLimits = (test: LedgerTest): void => {
  test("among the jobs of one client in a lane the higher priority comes first", async (kit) => {
    const worker = kit.worker();
    await kit.job("low", keysOf(3, "l"), { priority: -1 });
    await kit.job("usual", keysOf(3, "u"));
    await kit.job("high", keysOf(3, "h"), { priority: 5 });
    assert.deepEqual((await worker.takeKeys(4)).toSorted(), ["h0", "h1", "h2", "u0"]);
    assert.deepEqual((await worker.takeKeys(9)).toSorted(), ["l0", "l1", "l2", "u1", "u2"]);
  });

  test("jobs of one client and priority take turns, however large one of them is and however few slots there are", async (kit) => {
    const worker = kit.worker();
    const pace = { perSecond: 1, burst: 1, concurrency: 50 };
    await kit.job("huge", keysOf(500), { pace });
    await kit.job("tiny", keysOf(5), { pace });
    const served: string[] = [];
    for (let i = 0; served.length < 14 && i < 100; i++) {
      const items = await worker.take(1);
      served.push(...items.map(({ job }) => job));
      await worker.settle(items);
      kit.pass(1000);
    }
    assert.equal(served.slice(0, 12).filter((job) => job === "tiny").length, 5);
  });

  test("a high priority does not affect other clients", async (kit) => {
    const worker = kit.worker();
    await kit.job("urgent", keysOf(50), { client: "a", priority: 99 });
    await kit.job("other", keysOf(50), { client: "b" });
    const jobs = (await worker.take(40)).map(({ job }) => job);
    assert.equal(jobs.filter((job) => job === "other").length, 20);
  });

  test("no item has more attempts than its job allows, and a throttle is not an attempt", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"], { maxAttempts: 2 });
    await kit.ledger.sealJob("job");
    await worker.settle(await worker.take(), waiting(0, "rate-limited", false));
    await worker.settle(await worker.take(), waiting(0, "timeout"));
    assert.equal((await kit.item("job", "a")).state, "waiting");
    await worker.settle(await worker.take(), waiting(0, "timeout"));
    const item = await kit.item("job", "a");
    assert.deepEqual([item.state, item.attempts, item.failure?.kind], ["failed", 2, "timeout"]);
    assert.equal(await stateOf(kit, "job"), "done");
  });

  test("at its deadline, a job is cancelled with its unfinished items, and says why", async (kit) => {
    const worker = kit.worker();
    const deadlineAt = kit.nowMs + 5000;
    await kit.job("job", keysOf(4), { deadlineAt });
    await kit.job("later", keysOf(4), { deadlineAt: deadlineAt + 1, lane: "b.test" });
    const [first, second] = await worker.take(100, { jobs: ["job"] });
    await worker.settle([first!]);
    kit.pass(4999);
    await kit.ledger.reap({});
    assert.equal(await stateOf(kit, "job"), "loading");
    kit.pass(1);
    await kit.ledger.reap({});
    assert.equal(await stateOf(kit, "job"), "cancelled");
    assert.equal(await stateOf(kit, "later"), "loading");
    const { states } = await kit.counts("job");
    assert.deepEqual([states.done, states.cancelled, states.leased], [1, 0, 3]);
    await worker.settle([second!]);
    await kit.ledger.reap({ worker: "w1" });
    assert.deepEqual(await factsOf(kit, "job.cancelled"), [{ reason: "deadline" }]);
    await kit.ledger.reap({});
    assert.equal((await factsOf(kit, "job.cancelled")).length, 1);
  });

  test("a job that ended in time is not touched by its deadline, and retries nothing after it", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"], { deadlineAt: kit.nowMs + 1000 });
    await kit.ledger.sealJob("job");
    await worker.settle(await worker.take(), failed("timeout"));
    kit.pass(2000);
    await kit.ledger.reap({});
    assert.equal(await stateOf(kit, "job"), "done");
    await assert.rejects(() => kit.ledger.retryItems("job", {}), code("job-ended"));
  });

  test("when its budget is spent, a job ends: queued items fail with `budget`, leased items end normally", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(100), { budget: { requests: 3 } });
    await kit.job("other", keysOf(3, "o"), { lane: "b.test" });
    const [a, b, c, d, e, f] = await worker.take(6, { jobs: ["job"] });
    await worker.settle([a!, b!], DONE, { attempt });
    await worker.settle([c!], waiting(60_000), { attempt });
    const { states } = await kit.counts("job");
    assert.deepEqual(
      [states.done, states.leased, states.failed, states.queued, states.waiting],
      [2, 3, 95, 0, 0],
    );
    assert.deepEqual(await worker.takeKeys(100, { jobs: ["job"] }), []);
    assert.ok((await worker.pulse()).stopped.includes(d!.queue), "no further request of leased items");
    await worker.settle([d!], DONE, { attempt });
    await worker.settle([e!], RETURNED, { attempt: { ...attempt, requests: 0 } });
    await worker.settle([f!], waiting(0), { attempt });
    const view = await kit.ledger.readJob("job");
    assert.equal(view?.state, "done");
    assert.equal(view.budgetSpentAt, kit.nowMs);
    assert.deepEqual([view.counts.states.done, view.counts.states.failed, view.requests], [3, 97, 5]);
    assert.deepEqual(
      view.failures.map(({ kind, count }) => [kind, count]),
      [["budget", 97]],
    );
    const left = await kit.items("job", { kinds: ["budget"] }, 10);
    assert.equal(left.length, 97);
    assert.ok(left.every(({ state, failure }) => state === "failed" && failure?.kind === "budget"));
    assert.equal((await kit.items("job", { states: ["failed"] }, 7)).length, 97);
    assert.equal((await kit.items("job", { states: ["queued", "waiting", "leased"] })).length, 0);
    const told = await factsOf(kit, "item.failed");
    assert.equal(
      told.reduce((sum, { count }) => sum + Number(count), 0),
      97,
    );
    assert.equal((await worker.takeKeys()).length, 3);
  });

  test("a budget of bytes works like one of requests", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(10), { budget: { bytes: 250 } });
    const items = await worker.take(3);
    await worker.settle(items.slice(0, 2), DONE, { attempt });
    assert.equal((await kit.counts("job")).states.failed, 0);
    await worker.settle(items.slice(2), DONE, { attempt });
    assert.equal((await kit.counts("job")).states.failed, 7);
    assert.equal(await stateOf(kit, "job"), "done");
  });

  test("a job whose budget is spent takes no inputs, finds no more, and retries nothing", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3), { budget: { requests: 1 } });
    const [a, b, c] = await worker.take();
    await worker.settle([a!], DONE, { attempt });
    await worker.emit(b!, planned(["found"]));
    await assert.rejects(() => kit.ledger.addItems("job", planned(["z"]), []), code("job-ended"));
    await kit.ledger.controlJob("job", "pause");
    await kit.ledger.controlJob("job", "resume");
    await worker.settle([c!], failed("timeout"), { attempt });
    const { received, accepted, capped, states } = await kit.counts("job");
    assert.deepEqual([received, accepted, capped], [4, 3, 1]);
    assert.deepEqual([states.done, states.failed], [2, 1]);
    assert.equal((await kit.ledger.readJob("job"))?.cappedBy.budget, 1);
    await assert.rejects(() => kit.ledger.raiseCaps("job", { maxItems: 9 }), code("job-ended"));
    await assert.rejects(() => kit.ledger.retryItems("job", {}), code("job-ended"));
  });

  test("a lost worker whose unsettled cost spends the budget leaves nothing open", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(20), { budget: { requests: 5 } });
    await kit.ledger.sealJob("job");
    const [first, ...others] = await worker.take(4);
    await worker.pulse({ running: [first!], unsettled: [{ queue: first!.queue, requests: 5, bytes: 10 }] });
    assert.equal(others.length, 3);
    await kit.ledger.reap({ worker: "w1" });
    const view = (await kit.ledger.readJob("job"))!;
    const { failed: ended, leased, queued, waiting: left } = view.counts.states;
    assert.deepEqual([view.state, ended, leased, queued, left], ["done", 20, 0, 0, 0]);
    assert.equal((await kit.items("job", { kinds: ["budget"] }, 30)).length, 20);
  });

  test("a worker that is lost after the budget was spent leaves nothing open", async (kit) => {
    const worker = kit.worker();
    const other = kit.worker("w2");
    await kit.job("job", keysOf(20), { budget: { requests: 2 } });
    const lost = await other.take(5);
    await other.pulse({ running: lost.slice(0, 2) });
    await worker.settle(await worker.take(2), DONE, { attempt });
    assert.deepEqual((await kit.counts("job")).states.leased, 5);
    await kit.ledger.reap({ worker: "w2" });
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.counts.states.failed, view?.counts.states.leased], ["done", 18, 0]);
    assert.equal(await worker.takeAlone(), undefined);
  });

  for (const end of ["cancelled", "past its deadline"] as const)
    test(`a job that is ${end} after its budget was spent counts every item as it lists it`, async (kit) => {
      const worker = kit.worker();
      const deadlineAt = kit.nowMs + 1000;
      await kit.job("job", keysOf(20), { budget: { requests: 2 }, deadlineAt });
      const items = await worker.take(5);
      await worker.settle(items.slice(0, 2), DONE, { attempt });
      kit.pass(1000);
      if (end === "cancelled") await kit.ledger.controlJob("job", "cancel");
      else await kit.ledger.reap({});
      assert.equal((await kit.counts("job")).states.leased, 3);
      await kit.ledger.reap({ worker: "w1" });
      const view = await kit.ledger.readJob("job");
      assert.deepEqual(
        [view?.state, view?.counts.states.failed, view?.failures[0]?.count],
        ["cancelled", 18, 18],
      );
      for (const [state, count] of Object.entries(view!.counts.states))
        assert.equal((await kit.items("job", { states: [state as ItemState] })).length, count, state);
      const listed = Map.groupBy(await kit.items("job"), (item) => item.state);
      assert.deepEqual([listed.get("done")?.length, listed.get("failed")?.length], [2, 18]);
    });

  test("a cancelled job whose last items spend its budget counts every item as it lists it", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(20), { budget: { requests: 2 } });
    const items = await worker.take(3);
    await kit.ledger.controlJob("job", "cancel");
    await worker.settle(items, DONE, { attempt });
    const { states } = await kit.counts("job");
    assert.deepEqual([states.done, states.cancelled, states.failed], [3, 17, 0]);
    assert.equal((await kit.items("job", { states: ["cancelled"] })).length, 17);
  });

  test("options of a job are read back as they were given", async ({ ledger }) => {
    const spec = jobSpec("job", {
      priority: 3,
      maxAttempts: 2,
      deadlineAt: 1_760_000_000_000,
      budget: { requests: 10, bytes: 20 },
      freshness: { maxAgeMs: 5, onlyChanged: true },
      labels: { team: "tax" },
      webhook: "https://hooks.test/x",
      progressMs: 1000,
      isBatch: true,
      guardsTargets: true,
      pace: UNPACED,
    });
    await ledger.createJob(spec);
    assert.deepEqual((await ledger.readJob("job"))?.spec, spec);
  });
};
