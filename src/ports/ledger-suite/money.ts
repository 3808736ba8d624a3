import assert from "node:assert/strict";
import type { Attempt, TierCost } from "../../domain/item.ts";
import { DONE, RETURNED, waiting } from "./sim-worker.ts";
import { code, keysOf, type Kit, type LedgerTest, SITE } from "./test-kit.ts";

const DAY_MS = 86_400_000;
const cost = (tier: string, requests: number, bytes: number, microCost: number): TierCost => ({
  tier,
  requests,
  bytes,
  microCost,
});
const DATACENTER = cost("datacenter", 1, 1000, 30);
const RESIDENTIAL = cost("residential:us-tx", 2, 5000, 700);

const attempt = (...proxied: TierCost[]): Attempt => ({
  startedAt: 1,
  ms: 2,
  requests: 4,
  bytes: 900,
  ...(proxied.length > 0 && { proxied }),
});

const costsOf = async ({ ledger }: Kit, job = "job") => (await ledger.readJob(job))?.costs;
const spentIn = async ({ ledger }: Kit) =>
  (await ledger.listLanes({ limit: 9 })).find(({ lane }) => lane === SITE)?.spent;

export const money = (test: LedgerTest): void => {
  test("the cost of attempts is counted by tier: for the item, the job, the lane, the client's day, and in total", async (kit) => {
    await kit.job("job", keysOf(4));
    await kit.job("other", ["o"], { client: "rich" });
    const worker = kit.worker();
    const [a, b, c, d] = await worker.take(9, { jobs: ["job"] });
    await worker.settle([a!, b!], DONE, { attempt: attempt(DATACENTER, RESIDENTIAL) });
    await worker.settle([c!], waiting(0), { attempt: attempt(DATACENTER) });
    await worker.settle([d!], RETURNED, { attempt: attempt(DATACENTER) });
    await worker.settle(await worker.take(9, { jobs: ["other"] }), DONE, { attempt: attempt() });
    const sums = {
      datacenter: { requests: 4, bytes: 4000, microCost: 120 },
      "residential:us-tx": { requests: 4, bytes: 10_000, microCost: 1400 },
    };
    assert.deepEqual(await costsOf(kit), sums);
    assert.equal(await costsOf(kit, "other"), undefined);
    assert.deepEqual(await spentIn(kit), sums);
    const { spent } = await kit.ledger.readSpending("team");
    assert.deepEqual(spent, { requests: 16, bytes: 3600, microCost: 1520 });
    const rich = (await kit.ledger.readSpending("rich")).spent;
    assert.deepEqual(rich, { requests: 4, bytes: 900, microCost: 0 });
    const all = await kit.ledger.readWorkSums();
    assert.equal(all["proxy requests of datacenter"], 4);
    assert.equal(all["proxy bytes of residential:us-tx"], 10_000);
    assert.equal(all["proxy micro-cost of residential:us-tx"], 1400);
    assert.deepEqual((await kit.item("job", "k0")).lastAttempt?.proxied, [DATACENTER, RESIDENTIAL]);
    const { lastAttempt, history } = await kit.item("job", "k2");
    assert.deepEqual([lastAttempt?.proxied, history[0]?.proxied], [[DATACENTER], [DATACENTER]]);
    const [plain] = await kit.items("other");
    assert.ok(plain?.lastAttempt && !("proxied" in plain.lastAttempt));
  });

  test("a settle that is sent again is not paid twice", async (kit) => {
    await kit.job("job", keysOf(2));
    const worker = kit.worker();
    const items = await worker.take();
    await worker.settle(items, DONE, { attempt: attempt(DATACENTER) });
    await worker.settle(items, DONE, { attempt: attempt(DATACENTER) });
    assert.equal((await costsOf(kit))?.["datacenter"]?.microCost, 60);
    assert.equal((await kit.ledger.readSpending("team")).spent.microCost, 60);
  });

  test("the spending of a lost worker is counted once, by tier", async (kit) => {
    await kit.job("job", keysOf(4));
    const [lost, other] = [kit.worker("w1"), kit.worker("w2")];
    const [first, second] = await lost.take(2);
    const [third] = await other.take(1);
    await lost.pulse({
      unsettled: [
        {
          queue: first!.queue,
          requests: 9,
          bytes: 1900,
          proxied: [cost("datacenter", 3, 3000, 90), RESIDENTIAL],
        },
      ],
    });
    await lost.settle([first!], DONE, { attempt: attempt(DATACENTER) });
    assert.ok(second);
    await kit.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "killed" } });
    await kit.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "killed" } });
    await other.settle([third!], DONE, { attempt: attempt(RESIDENTIAL) });
    const sums = {
      datacenter: { requests: 3, bytes: 3000, microCost: 90 },
      "residential:us-tx": { requests: 4, bytes: 10_000, microCost: 1400 },
    };
    assert.deepEqual(await costsOf(kit), sums);
    assert.deepEqual(await spentIn(kit), sums);
    assert.deepEqual((await kit.ledger.readSpending("team")).spent, {
      requests: 13,
      bytes: 2800,
      microCost: 1490,
    });
    assert.equal((await kit.ledger.readWorkSums())["proxy micro-cost of datacenter"], 90);
  });

  test("a client's day ends at midnight UTC, and its limits are reported with its spending", async (kit) => {
    const perDay = { requestsPerDay: 10, bytesPerDay: 1000, costPerDay: 0.5 };
    await kit.ledger.setShare("team", { weight: 1, ...perDay });
    await kit.job("job", keysOf(2));
    const worker = kit.worker();
    await worker.settle(await worker.take(1), DONE, { attempt: attempt(DATACENTER) });
    assert.deepEqual(await kit.ledger.readSpending("team"), {
      spent: { requests: 4, bytes: 900, microCost: 30 },
      perDay,
    });
    kit.pass(DAY_MS);
    assert.equal((await kit.ledger.readSpending("team")).spent.requests, 0);
    await kit.ledger.setShare("team", { weight: 1 });
    assert.deepEqual((await kit.ledger.readSpending("team")).perDay, {});
    const nobody = { spent: { requests: 0, bytes: 0, microCost: 0 }, perDay: {} };
    assert.deepEqual(await kit.ledger.readSpending("nobody"), nobody);
  });

  test("a budget of money counts what went through proxies, also of a lost worker", async (kit) => {
    await kit.job("job", keysOf(10), { budget: { cost: 0.0015 } });
    await kit.job("lost", keysOf(10, "l"), { budget: { cost: 0.0007 }, lane: "b.test" });
    const worker = kit.worker();
    const items = await worker.take(3, { jobs: ["job"] });
    await worker.settle(items.slice(0, 2), DONE, { attempt: attempt(RESIDENTIAL) });
    assert.equal((await kit.counts("job")).states.failed, 0);
    await worker.settle(items.slice(2), DONE, { attempt: attempt(RESIDENTIAL) });
    assert.deepEqual((await kit.counts("job")).states.failed, 7);
    const [item] = await worker.take(1, { jobs: ["lost"] });
    await worker.pulse({
      unsettled: [{ queue: item!.queue, requests: 2, bytes: 1, proxied: [RESIDENTIAL] }],
    });
    await kit.ledger.reap({ worker: "w1" });
    assert.equal((await kit.counts("lost")).states.failed, 10);
  });

  test("with `onSpent: pause` a job whose budget is spent is paused, fails nothing, and goes on with a higher one", async (kit) => {
    await kit.job("job", keysOf(10), { budget: { requests: 8, cost: 5, onSpent: "pause" } });
    const worker = kit.worker();
    const [a, b, c] = await worker.take(3);
    await worker.settle([a!, b!], DONE, { attempt: attempt() });
    const paused = await kit.ledger.readJob("job");
    assert.deepEqual(
      [paused?.state, paused?.paused?.cause, paused?.counts.states.failed],
      ["paused", "budget", 0],
    );
    assert.equal(paused?.budgetSpentAt, undefined);
    assert.ok((await worker.pulse()).stopped.includes(c!.queue));
    await worker.settle([c!], DONE, { attempt: attempt() });
    assert.deepEqual(await worker.takeKeys(), []);
    for (const budget of [{ requests: 7 }, { bytes: 5 }, { cost: 4 }])
      await assert.rejects(() => kit.ledger.raiseCaps("job", { budget }), code("lower-cap"));
    await kit.ledger.raiseCaps("job", { budget: { requests: 20 } });
    await kit.ledger.controlJob("job", "resume");
    assert.deepEqual((await kit.ledger.readJob("job"))?.spec.budget, {
      requests: 20,
      cost: 5,
      onSpent: "pause",
    });
    await worker.settle(await worker.take(1), DONE, { attempt: attempt() });
    assert.equal((await kit.ledger.readJob("job"))?.state, "loading");
    await worker.settle(await worker.take(1), DONE, { attempt: attempt() });
    assert.equal((await kit.ledger.readJob("job"))?.state, "paused");
  });

  test("a job whose last item spends the budget is done, not paused", async (kit) => {
    await kit.job("job", keysOf(1), { budget: { requests: 1, onSpent: "pause" } });
    await kit.ledger.sealJob("job");
    const worker = kit.worker();
    await worker.settle(await worker.take(), DONE, { attempt: attempt() });
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
  });
};
