import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";
import { seededRandom } from "../../domain/testing/seeded-random.ts";
import { waiting } from "./sim-worker.ts";
import { keepsPace } from "./slot-watch.ts";
import { keysOf, type LedgerTest, planned, SITE, UNPACED, type Kit } from "./test-kit.ts";

const TEN: Pace = { perSecond: 10, burst: 1, concurrency: 100 };

const laneOf = async (kit: Kit, job: string, name = SITE) =>
  (await kit.ledger.listLanes({ job, limit: 200 })).find((lane) => lane.lane === name);

export const lanes = (test: LedgerTest): void => {
  test("a claim returns as many items as have slots within a second, each with its first slot", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(50), { pace: TEN });
    const grant = await worker.claim();
    assert.equal(grant.slots.length, 1);
    const { lane, delaysMs, lateMs } = grant.slots[0]!;
    assert.equal(lane, SITE);
    assert.deepEqual(delaysMs, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
    assert.equal(grant.items.length, delaysMs.length);
    assert.ok(lateMs > 0 && lateMs < 100);
    assert.deepEqual(grant.unpaced, []);
    assert.deepEqual(await worker.takeKeys(), []);
    const again = (await worker.claim()).againInMs;
    assert.equal(again, 100);
    kit.pass(100);
    assert.equal((await worker.take()).length, 1);
  });

  test("a slow lane books one slot ahead", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(5), { pace: { perSecond: 0.1, burst: 1, concurrency: 9 } });
    assert.deepEqual((await worker.claim()).slots[0]?.delaysMs, [0, 10_000]);
    kit.pass(9000);
    assert.deepEqual(await worker.takeKeys(), []);
    kit.pass(1000);
    assert.equal((await worker.take()).length, 1);
  });

  test("a lane without a rate needs no slots", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(30), { pace: UNPACED });
    const grant = await worker.claim();
    assert.equal(grant.items.length, 30);
    assert.deepEqual(grant.slots, []);
    assert.deepEqual(grant.unpaced, [SITE]);
    assert.deepEqual((await worker.pulse()).unpaced, [SITE]);
    assert.equal((await laneOf(kit, "job"))?.perSecond, Infinity);
  });

  test("a lane says how many requests a second are sent in it, which fades when no more are", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2", await kit.another())];
    await kit.job("job", keysOf(100), { pace: TEN });
    await one.take(2);
    await two.take(2);
    const used = async (): Promise<number> => (await laneOf(kit, "job"))!.usedPerSecond;
    assert.equal(await used(), 0);
    for (let second = 0; second < 60; second++) {
      await one.pulse({ used: [{ lane: SITE, requests: 2 }] });
      await two.pulse({ used: [{ lane: SITE, requests: 1 }] });
      await one.pulse();
      if (second < 59) kit.pass(1000);
    }
    assert.ok(Math.abs((await used()) - 3) < 0.3, `${await used()}`);
    await one.settle(await one.take(1));
    assert.ok(Math.abs((await used()) - 3) < 0.3, "a claim and a settle leave it as it is");
    kit.pass(10_000);
    assert.ok((await used()) < 1.5);
    kit.pass(300_000);
    assert.equal(await used(), 0);
  });

  test("a lane's rate is the lowest of the jobs now in it", async (kit) => {
    const worker = kit.worker();
    await kit.job("fast", keysOf(100), { pace: { perSecond: 50, burst: 1, concurrency: 99 } });
    await kit.job("slow", keysOf(2), { pace: TEN });
    assert.equal((await laneOf(kit, "fast"))?.perSecond, 10);
    const grant = await worker.claim();
    assert.equal(grant.items.length, 11);
    await worker.settle(grant.items.filter((item) => item.job === "slow"));
    assert.equal((await laneOf(kit, "fast"))?.perSecond, 50);
    await worker.settle(grant.items.filter((item) => item.job === "fast"));
    kit.pass(1000);
    assert.equal((await worker.take()).length, 50);
  });

  test("lanes do not share their slots, and a claim serves them all", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", [], { pace: TEN });
    for (let i = 0; i < 100; i++)
      await kit.ledger.addItems("job", planned(keysOf(20, `${i}-`), `h${i}.test`), []);
    const grant = await worker.claim(5000);
    assert.equal(grant.items.length, 1100);
    assert.equal(new Set(grant.slots.map(({ lane }) => lane)).size, 100);
    kit.pass(100);
    assert.equal((await worker.take(5000)).length, 100);
  });

  test("with less room than lanes, every lane gets its turn", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", [], { pace: { perSecond: 1, burst: 1, concurrency: 5 } });
    for (let i = 0; i < 90; i++)
      await kit.ledger.addItems("job", planned(keysOf(5, `${i}-`), `h${i}.test`), []);
    const seen = new Set<string>();
    for (let i = 0; i < 18; i++) {
      const items = await worker.take(10);
      for (const { lane } of items) seen.add(lane);
      await worker.settle(items);
    }
    assert.equal(seen.size, 90);
  });

  test("hops are booked in the pulse from the same slots as new starts", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2", await kit.another())];
    await kit.job("job", keysOf(50), { pace: TEN });
    const [item] = await one.take(1);
    assert.ok(item);
    const reply = await one.pulse({ wishes: [{ lane: SITE, queue: item.queue, count: 3 }] });
    assert.deepEqual(reply.slots[0]?.delaysMs, [100, 200, 300]);
    assert.deepEqual((await two.claim()).slots[0]?.delaysMs, [400, 500, 600, 700, 800, 900, 1000]);
    const none = await one.pulse({ wishes: [{ lane: SITE, queue: item.queue, count: 1 }] });
    assert.deepEqual(none.slots, []);
    assert.ok(none.againInMs > 0 && none.againInMs <= 250);
  });

  test("a hop to a host that has no job of its own goes at the pace of the job that asks", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(5), { pace: TEN });
    const [item] = await worker.take(1);
    assert.ok(item);
    const wish = { lane: "files.test", queue: item.queue, count: 30 };
    const reply = await worker.pulse({ wishes: [wish] });
    assert.deepEqual(reply.unpaced, []);
    assert.deepEqual(reply.slots[0]?.delaysMs, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
  });

  test("returned slots are given out again, and none twice", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(50), { pace: TEN });
    const [item] = await worker.take(11);
    assert.ok(item);
    kit.pass(250);
    await worker.pulse({ returned: [{ lane: SITE, delaysMs: [50, 150, 350, -100] }] });
    const other = kit.worker("w2", await kit.another());
    assert.deepEqual((await other.claim()).slots[0]?.delaysMs, [50, 150, 350, 850, 950]);
    assert.deepEqual((await other.claim()).slots, []);
  });

  test("Retry-After holds the lane for all jobs until its time, and the lane says why", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2", await kit.another())];
    await kit.job("job", keysOf(50), { pace: TEN });
    const [item] = await one.take(1);
    assert.ok(item);
    await one.pulse({ lanes: [{ lane: SITE, kind: "rate-limited", count: 1, retryAfterMs: 30_000 }] });
    const held = await laneOf(kit, "job");
    assert.equal(held?.holdMs, 30_000);
    assert.equal(held?.holdReason, "rate-limited");
    assert.deepEqual(await two.takeKeys(), []);
    assert.equal((await two.claim()).againInMs, 30_000);
    assert.deepEqual((await one.pulse({ wishes: [{ lane: SITE, queue: item.queue, count: 1 }] })).slots, []);
    await one.pulse({ lanes: [{ lane: SITE, kind: "rate-limited", count: 1, retryAfterMs: 10 }] });
    assert.equal((await laneOf(kit, "job"))?.holdMs, 30_000);
    kit.pass(30_000);
    assert.ok((await two.take()).length > 0);
    assert.equal((await laneOf(kit, "job"))?.holdMs, 0);
  });

  test("a lane without a rate is held by Retry-After as well", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(5), { pace: UNPACED });
    const [item] = await worker.take(1);
    assert.ok(item);
    const limited = { lane: SITE, kind: "rate-limited", count: 1, retryAfterMs: 5000 } as const;
    const reply = await worker.pulse({
      lanes: [limited],
      wishes: [{ lane: SITE, queue: item.queue, count: 1 }],
    });
    assert.deepEqual([reply.unpaced, reply.slots], [[], []]);
    assert.deepEqual(await worker.takeKeys(), []);
    kit.pass(5000);
    assert.equal((await worker.take()).length, 4);
  });

  test("a throttle slows the lane, and quiet answers let it recover", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(500), { pace: TEN });
    await worker.take(1);
    const tell = (kind: "ok" | "rate-limited") => worker.pulse({ lanes: [{ lane: SITE, kind, count: 1 }] });
    await tell("rate-limited");
    const slowed = await laneOf(kit, "job");
    assert.ok(slowed && slowed.factor < 1 && slowed.perSecond < 10);
    kit.pass(5000);
    assert.ok((await worker.take()).length <= Math.ceil(slowed.perSecond) + 1);
    for (let i = 0; i < 60; i++) {
      await tell("ok");
      kit.pass(1000);
      await worker.pulse();
    }
    assert.equal((await laneOf(kit, "job"))?.perSecond, 10);
  });

  test("a failure slows the lane if the report says so, whatever its kind", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(5), { pace: TEN });
    await worker.pulse({ lanes: [{ lane: SITE, kind: "timeout", count: 100, slows: false }] });
    assert.equal((await laneOf(kit, "job"))?.factor, 1);
    await worker.pulse({ lanes: [{ lane: SITE, kind: "connection", count: 100, slows: true }] });
    assert.equal((await laneOf(kit, "job"))?.factor, 0.5);
  });

  test("Crawl-delay lowers the pace of the lane for a day; the longest one applies, and none raises the pace", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(50), { pace: TEN });
    await worker.take(1);
    await worker.pulse({ crawlDelays: [{ lane: SITE, delayMs: 500 }] });
    assert.equal((await laneOf(kit, "job"))?.perSecond, 2);
    kit.pass(2000);
    assert.deepEqual((await worker.claim()).slots[0]?.delaysMs, [0, 500, 1000]);
    await worker.pulse({ crawlDelays: [{ lane: SITE, delayMs: 1 }] });
    assert.equal((await laneOf(kit, "job"))?.perSecond, 2);
    kit.pass(24 * 3_600_000 + 1);
    assert.equal((await laneOf(kit, "job"))?.perSecond, 10);
  });

  test("items in flight never exceed the lane's concurrency, over all workers", async (kit) => {
    const handles = [kit.ledger, await kit.another(), await kit.another()];
    const workers = handles.map((ledger, i) => kit.worker(`w${i}`, ledger));
    const random = seededRandom(7);
    await kit.job("job", keysOf(300), { pace: { ...UNPACED, concurrency: 7 } });
    let most = 0;
    for (let i = 0; i < 300; i++) {
      const worker = workers[Math.floor(random() * 3)]!;
      await worker.take(1 + Math.floor(random() * 9));
      const inFlight = workers.reduce((sum, one) => sum + one.held.size, 0);
      most = Math.max(most, inFlight);
      assert.ok(inFlight <= 7, `${inFlight} in flight`);
      const done = [...worker.held.values()].slice(0, Math.floor(random() * 4));
      await worker.settle(done);
    }
    assert.equal(most, 7);
  });

  test("a place in the lane is free as soon as the pulse says so, before the item is settled", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(9), { pace: { ...UNPACED, concurrency: 1 } });
    const items = await one.take();
    assert.equal(items.length, 1);
    assert.deepEqual(await two.takeKeys(), []);
    assert.ok(((await two.claim()).againInMs ?? Infinity) <= 250);
    one.held.clear();
    await one.pulse();
    assert.equal((await two.take()).length, 1);
  });

  test("due retries take at most a quarter of the lane while fresh items are left, then all of it", async (kit) => {
    const worker = kit.worker();
    const random = seededRandom(11);
    await kit.job("job", keysOf(400, "old"));
    await worker.settle(await worker.take(400), waiting(0));
    await kit.ledger.addItems("job", planned(keysOf(600, "new")), []);
    let [due, fresh] = [0, 0];
    while (fresh < 600) {
      const room = 1 + Math.floor(random() * 10);
      const keys = await worker.takeKeys(room);
      assert.ok(keys.length > 0 && keys.length <= room, `${keys.length} of ${room}`);
      fresh += keys.filter((key) => key.startsWith("new")).length;
      due += keys.filter((key) => key.startsWith("old")).length;
      // The credit of one claim's size is left for the fresh ones that went before.
      if (fresh < 600) assert.ok(due <= (due + fresh) / 4 + 8, `${due} retries, ${fresh} fresh`);
    }
    assert.ok(due >= 60, `${due} retries starve`);
    assert.equal((await worker.take(1000)).length, 400 - due);
  });

  test("slots are booked once, also when two processes claim at the same time", async (kit) => {
    const handles = [kit.ledger, await kit.another(), await kit.another()];
    const workers = handles.map((ledger, i) => kit.worker(`w${i}`, ledger));
    await kit.job("job", keysOf(2000), { pace: { perSecond: 200, burst: 10, concurrency: 1000 } });
    for (let i = 0; i < 40; i++) {
      await Promise.all(workers.map((worker) => worker.claim(3 + i)));
      kit.pass(37);
    }
    const starts = workers.flatMap((worker) => worker.slots.map((slot) => slot.at));
    assert.ok(starts.length > 400);
    keepsPace(starts, { perSecond: 200, burst: 10 });
  });
};
