import assert from "node:assert/strict";
import { countOf, serveSlots, TEN, WINDOW } from "./slot-watch.ts";
import { RETURNED } from "./sim-worker.ts";
import { BACKLOG, keysOf, type LedgerTest, planned, UNPACED, type Kit } from "./test-kit.ts";

const assertShares = (served: readonly string[], weights: Readonly<Record<string, number>>): void => {
  const total = Object.values(weights).reduce((a, b) => a + b, 0);
  const had: Record<string, number> = {};
  for (const [i, job] of served.entries()) {
    had[job] = (had[job] ?? 0) + 1;
    for (const [other, weight] of Object.entries(weights)) {
      const lag = ((i + 1) * weight) / total - (had[other] ?? 0);
      assert.ok(lag <= WINDOW, `${other} lags ${lag} slots after ${i + 1}`);
    }
  }
};

const NOTHING_SPENT = { startedAt: 0, ms: 0, requests: 0, bytes: 0 };

/** A job with one item in each of many lanes. */
const wideJob = async (kit: Kit, id: string, client: string, lanes: number): Promise<void> => {
  await kit.job(id, [], { client });
  const items = Array.from({ length: lanes }, (_, i) => planned(keysOf(20, `${i}-`), `${id}-${i}.test`));
  await kit.ledger.addItems(id, items.flat(), []);
};

/** Items of each job in N claims of a busy worker, which has one place free at a time. */
const serveOneByOne = async (kit: Kit, count: number, room = 1): Promise<string[]> => {
  const worker = kit.worker();
  const served: string[] = [];
  while (served.length < count) {
    const items = await worker.take(room);
    assert.ok(items.length > 0, "an idle worker while there is work");
    served.push(...items.map(({ job }) => job));
    await worker.settle(items);
    kit.pass(1);
  }
  return served;
};

export const shares = (test: LedgerTest): void => {
  test("a client whose items never end leaves a part of each worker to later clients", async (kit) => {
    await wideJob(kit, "hanging", "a", 400);
    const worker = kit.worker();
    const places = 100;
    const claim = async (): Promise<readonly string[]> => {
      const running = [...worker.held.values()];
      const { items } = await worker.claim(places - running.length, { running });
      return items.map(({ job }) => job);
    };
    await kit.ledger.setShare("b", { weight: 1 });
    while ((await claim()).length > 0) kit.pass(1000);
    assert.equal(worker.held.size, 80);
    await kit.job("late", keysOf(50), { client: "b", pace: TEN });
    assert.deepEqual([...new Set(await claim())], ["late"]);
  });

  test("a client that is the only one has all places of a worker", async (kit) => {
    await wideJob(kit, "only", "a", 200);
    const { items } = await kit.worker().claim(100, { running: [] });
    assert.equal(items.length, 100);
  });

  test("beside a large backlog of another client, fifty items on the same host are done within a hundred slots", async (kit) => {
    const worker = kit.worker();
    await kit.job("huge", keysOf(BACKLOG), { client: "a", pace: TEN });
    await serveSlots(kit, worker, 200);
    await kit.job("small", keysOf(50), { client: "b", pace: TEN });
    const served = await serveSlots(kit, worker, 100 + WINDOW);
    assert.equal(countOf(served, "small"), 50);
  });

  test("weights of three to one are shares of three to one, at any moment to within one window", async (kit) => {
    await kit.ledger.setShare("a", { weight: 3 });
    await kit.ledger.setShare("b", { weight: 1 });
    await kit.job("three", keysOf(400), { client: "a", pace: TEN });
    await kit.job("one", keysOf(400), { client: "b", pace: TEN });
    const served = await serveSlots(kit, kit.worker(), 200);
    assertShares(served, { three: 3, one: 1 });
    assert.ok(Math.abs(countOf(served, "three") - 150) <= 2, `${countOf(served, "three")} of 200`);
  });

  test("a changed weight applies from then on", async (kit) => {
    await kit.job("a", keysOf(400), { client: "a", pace: TEN });
    await kit.job("b", keysOf(400), { client: "b", pace: TEN });
    const worker = kit.worker();
    await serveSlots(kit, worker, 60);
    await kit.ledger.setShare("b", { weight: 4 });
    assertShares(await serveSlots(kit, worker, 200), { a: 1, b: 4 });
  });

  test("thirty clients with thirty weights share a lane by them", async (kit) => {
    const weights: Record<string, number> = {};
    for (let i = 0; i < 30; i++) {
      const weight = 1 + (i % 3);
      weights[`c${i}`] = weight;
      await kit.ledger.setShare(`c${i}`, { weight });
      await kit.job(`c${i}`, keysOf(60), { client: `c${i}`, pace: TEN });
    }
    assertShares(await serveSlots(kit, kit.worker(), 300), weights);
  });

  test("slots that hops took count in a client's share of the lane", async (kit) => {
    const worker = kit.worker();
    await kit.job("hops", keysOf(300), { client: "a", pace: TEN });
    await kit.job("plain", keysOf(300), { client: "b", pace: TEN });
    const slots = { hops: 0, plain: 0 };
    for (let i = 0; i < 150; i++) {
      const items = await worker.take(3);
      for (const { job, lane, queue } of items) {
        slots[job as keyof typeof slots]++;
        if (job !== "hops") continue;
        const reply = await worker.pulse({ wishes: [{ lane, queue, count: 2 }] });
        slots.hops += reply.slots.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0);
      }
      await worker.settle(items);
      await worker.pulse();
      kit.pass(200);
    }
    const total = slots.hops + slots.plain;
    assert.ok(total > 250, `${total} slots in 30 seconds`);
    assert.ok(slots.plain >= total / 2 - WINDOW, `${slots.plain} of ${total}`);
  });

  for (const [how, isVoid] of Object.entries({ void: true, "given back": false }))
    test(`slots that were ${how} and booked again count once in a client's share of the lane`, async (kit) => {
      const worker = kit.worker();
      await kit.ledger.setShare("a", { weight: 2 });
      await kit.job("missing", keysOf(600), { client: "a", pace: TEN });
      await kit.job("plain", keysOf(600), { client: "b", pace: TEN });
      const used: string[] = [];
      while (used.length < 150) {
        const { items, slots } = await worker.claim(6);
        used.push(...items.map(({ job }) => job).filter((job) => job === "plain"));
        const [missed] = items.filter(({ job }) => job === "missing");
        if (missed) {
          const { lane, queue } = missed;
          const mine = slots.filter((one) => one.queue === queue);
          const count = mine.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0);
          const returned = isVoid ? [] : mine.map(({ delaysMs }) => ({ lane, delaysMs }));
          const refunds = isVoid ? [] : [{ lane, queue, count }];
          await worker.pulse({ refunds, returned });
          // The next one is served before they are asked for again.
          used.push(...(await worker.take(1)).map(({ job }) => job));
          for (let left = count; left > 0;) {
            const again = isVoid ? left : 0;
            const reply = await worker.pulse({ wishes: [{ lane, queue, count: left, again }] });
            left -= reply.slots.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0);
            kit.pass(100);
          }
          used.push(...Array.from({ length: count }, () => "missing"));
        }
        await worker.settle([...worker.held.values()]);
        await worker.pulse();
        kit.pass(1000);
      }
      assertShares(used, { missing: 2, plain: 1 });
    });

  test("items that are returned before they start count once in a client's share of the workers", async (kit) => {
    await wideJob(kit, "wide", "a", 50);
    await wideJob(kit, "plain", "b", 50);
    const worker = kit.worker();
    const run: string[] = [];
    for (let turn = 0; run.length < 200; turn++) {
      const items = await worker.take(1);
      const isGivenBack = items[0]?.job === "wide" && turn % 3 > 0;
      if (isGivenBack) await worker.settle(items, RETURNED, { attempt: NOTHING_SPENT });
      else run.push(...items.map(({ job }) => job));
      await worker.settle([...worker.held.values()]);
      kit.pass(1);
    }
    assertShares(run, { wide: 1, plain: 1 });
  });

  test("a client with thousands of lanes does not take the workers from one with a single lane", async (kit) => {
    await wideJob(kit, "wide", "a", 2000);
    await kit.job("single", keysOf(400), { client: "b" });
    const served = await serveOneByOne(kit, 100);
    assert.ok(countOf(served, "single") >= 49, `${countOf(served, "single")} of 100`);
    const many = await serveOneByOne(kit, 400, 40);
    assert.ok(countOf(many, "single") >= 200 - 40, `${countOf(many, "single")} of 400`);
  });

  test("weights apply over all workers as within a lane", async (kit) => {
    await kit.ledger.setShare("a", { weight: 3 });
    await wideJob(kit, "wide", "a", 50);
    await wideJob(kit, "narrow", "b", 3);
    const served = await serveOneByOne(kit, 60);
    assert.ok(Math.abs(countOf(served, "wide") - 45) <= 3, `${countOf(served, "wide")} of 60`);
  });

  test("capacity that one client cannot use goes to others: no worker idles for a share", async (kit) => {
    const worker = kit.worker();
    await kit.job("slow", keysOf(100), { client: "a", pace: { perSecond: 1, burst: 1, concurrency: 9 } });
    await wideJob(kit, "wide", "b", 30);
    assert.equal((await worker.take(200)).length, 200);
    await wideJob(kit, "new", "c", 30);
    const jobs = (await worker.take(200)).map(({ job }) => job);
    assert.equal(jobs.length, 200);
    assert.ok(countOf(jobs, "new") >= 100, `${countOf(jobs, "new")} of 200`);
  });

  test("no claim gives out more of a client's items than may run at a time, over all workers", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2", await kit.another())];
    await kit.ledger.setShare("a", { weight: 1, maxRunning: 5 });
    await wideJob(kit, "wide", "a", 10);
    await kit.job("other", keysOf(10), { client: "b" });
    const first = await one.take(8, { jobs: ["wide"] });
    assert.equal(first.length, 5);
    assert.deepEqual(await two.take(8, { jobs: ["wide"] }), []);
    assert.ok(((await two.claim(8, { jobs: ["wide"] })).againInMs ?? Infinity) <= 250);
    assert.equal((await two.take(8)).length, 8);
    await one.settle(first.slice(0, 3));
    await one.pulse();
    assert.equal((await two.take(8, { jobs: ["wide"] })).length, 3);
    await kit.ledger.reap({ worker: "w1" });
    assert.equal((await two.take(8, { jobs: ["wide"] })).length, 2);
    await kit.ledger.setShare("a", { weight: 1 });
    assert.equal((await two.take(8, { jobs: ["wide"] })).length, 8);
  });

  test("a suspect that runs alone counts among its client's running items", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.ledger.setShare("a", { weight: 1, maxRunning: 2 });
    await kit.job("job", keysOf(9), { client: "a" });
    await one.take(2);
    await kit.ledger.reap({ worker: "w1" });
    const alone = kit.worker("alone");
    const suspect = await alone.takeAlone();
    assert.ok(suspect);
    assert.equal((await two.take(5)).length, 1);
    assert.equal(await kit.worker("more").takeAlone(), undefined);
    await two.settle([...two.held.values()]);
    await two.pulse();
    assert.ok(await kit.worker("more").takeAlone());
  });

  test("a lease has at most a hundred items, however many are claimed", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(350), { pace: UNPACED });
    const items = await worker.take(350);
    assert.equal(items.length, 350);
    const sizes = [...Map.groupBy(items, ({ lease }) => lease).values()].map(({ length }) => length);
    assert.ok(Math.max(...sizes) <= 100, sizes.join());
  });

  test("accepted items of a client's jobs are counted per day (UTC), including found ones", async (kit) => {
    const { ledger } = kit;
    const worker = kit.worker();
    kit.nowMs = 1_750_000_020_000;
    await kit.job("before", keysOf(5), { client: "a" });
    kit.pass(24 * 3_600_000);
    const since = kit.nowMs;
    await kit.job("after", [...keysOf(3), "k0"], { client: "a", lane: "b.test" });
    await kit.job("other", keysOf(7), { client: "b", lane: "c.test" });
    const [item] = await worker.take(1, { jobs: ["after"] });
    await worker.emit(item!, planned(["found", "k1"]));
    assert.equal(await ledger.countAccepted("a", since), 4);
    assert.equal(await ledger.countAccepted("a", 0), 9);
    assert.equal(await ledger.countAccepted("nobody", 0), 0);
  });

  test("a client's record has its open jobs and the bytes fetched for all of its jobs", async (kit) => {
    const { ledger } = kit;
    const worker = kit.worker();
    assert.deepEqual([await ledger.countOpenJobs("a"), await ledger.countKeptBytes("a")], [0, 0]);
    await kit.job("ending", keysOf(2), { client: "a", pace: UNPACED });
    await kit.job("open", keysOf(1), { client: "a", lane: "b.test" });
    await kit.job("other", keysOf(1), { client: "b", lane: "c.test" });
    await ledger.sealJob("ending");
    await worker.settle(await worker.take(2, { jobs: ["ending"] }));
    const { bytes } = (await ledger.readJob("ending"))!;
    assert.ok(bytes > 0);
    assert.deepEqual([await ledger.countOpenJobs("a"), await ledger.countKeptBytes("a")], [1, bytes]);
  });
};
