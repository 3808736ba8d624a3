import assert from "node:assert/strict";
import type { Ledger } from "../ledger.ts";
import { DONE, failed, RETURNED, waiting } from "./sim-worker.ts";
import { keysOf, LEASE_MS, type LedgerTest, planned, SITE, UNPACED, type Kit } from "./test-kit.ts";

const blame = { blame: "scraper", detail: "exit code 7" } as const;
const unknown = { blame: "unknown", detail: "SIGKILL" } as const;
/** Longer than any pause before a suspect's next run, shorter than a lease. */
const A_WHILE = 9000;

/** Makes `key` (and only it) a suspect of the job. */
const suspectOf = async (kit: Kit, job: string, key: string): Promise<void> => {
  const worker = kit.worker(`dies-of-${key}`);
  const item = (await worker.take(100, { jobs: [job] })).find((one) => one.key === key);
  assert.ok(item);
  await worker.pulse({ running: [item] });
  await kit.ledger.reap({ worker: worker.name, cause: unknown });
};

const dieAlone = async (kit: Kit, ledger: Ledger, name: string, cause: typeof blame | typeof unknown) => {
  kit.pass(A_WHILE);
  const alone = kit.worker(name, ledger);
  const item = await alone.takeAlone();
  if (item) await ledger.reap({ worker: name, cause });
  return item;
};

export const reaping = (test: LedgerTest): void => {
  test("only the items that a dead worker reported as running, or claimed since, are suspects", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(9));
    const [a, b] = await worker.take(6);
    assert.ok(a && b);
    await worker.pulse({ running: [a, b] });
    await worker.take(1);
    assert.deepEqual(await kit.ledger.reap({ worker: "w1", cause: blame }), {
      workers: 1,
      suspects: 3,
      returned: 4,
    });
    const other = kit.worker("w2");
    const grant = await other.claim();
    assert.deepEqual(grant.items.map((item) => item.key).toSorted(), ["k2", "k3", "k4", "k5", "k7", "k8"]);
    assert.ok(grant.items.every((item) => item.attempt === 1));
    assert.equal(grant.suspects, 3);
    assert.equal((await kit.counts("job")).states.queued, 3);
  });

  test("a claim may name what runs, in place of a pulse", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(9));
    const [a, b] = await worker.take(4);
    assert.ok(a && b);
    await worker.take(2, { running: [b] });
    assert.deepEqual(await kit.ledger.reap({ worker: "w1" }), { workers: 1, suspects: 3, returned: 3 });
    const suspects = new Set<string | undefined>();
    for (let i = 0; i < 3; i++) suspects.add((await kit.worker(`alone-${i}`).takeAlone())?.key);
    assert.deepEqual(suspects, new Set([b.key, "k4", "k5"]));
  });

  test("before its first pulse, all claimed items of a dead worker are suspects", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3));
    await worker.take(2);
    kit.pass(LEASE_MS + 1);
    assert.deepEqual(await kit.ledger.reap({}), { workers: 1, suspects: 2, returned: 0 });
  });

  test("items that ended or were returned before the death are not suspects", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(4));
    const [a, b, c] = await worker.take(4);
    assert.ok(a && b && c);
    await worker.pulse();
    await worker.settle([a]);
    await worker.settle([b], RETURNED);
    await worker.settle([c], waiting(0));
    assert.deepEqual(await kit.ledger.reap({ worker: "w1" }), { workers: 1, suspects: 1, returned: 0 });
    assert.deepEqual((await kit.worker("w2").takeKeys()).toSorted(), ["k1", "k2"]);
  });

  test("a suspect goes to a worker of its own, one at a time, and to no other", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(5));
    await worker.take(2);
    await kit.ledger.reap({ worker: "w1" });
    const alone = kit.worker("alone-1");
    const [first, ...more] = await alone.take(10, { alone: true });
    assert.ok(first);
    assert.deepEqual(more, []);
    assert.deepEqual((await kit.worker("w2").takeKeys()).toSorted(), ["k2", "k3", "k4"]);
    const second = await kit.worker("alone-2").takeAlone();
    assert.deepEqual(new Set([first.key, second?.key]), new Set(["k0", "k1"]));
    assert.equal((await kit.worker("alone-3").claim(1, { alone: true })).againInMs, undefined);
    assert.deepEqual((await alone.settle([first], DONE)).refused, []);
    assert.equal((await kit.item("job", first.key)).state, "done");
  });

  test("a suspect that failed alone waits like any other item, and is no longer a suspect", async (kit) => {
    await kit.job("job", ["a"]);
    await suspectOf(kit, "job", "a");
    const alone = kit.worker("alone");
    const item = await alone.takeAlone();
    assert.ok(item);
    await alone.settle([item], waiting(100));
    assert.equal((await kit.item("job", "a")).state, "waiting");
    kit.pass(100);
    const [again] = await kit.worker("w2").take();
    assert.deepEqual([again?.key, again?.attempt], ["a", 2]);
  });

  test("a suspect that is returned untried is still a suspect", async (kit) => {
    await kit.job("job", ["a"]);
    await suspectOf(kit, "job", "a");
    const alone = kit.worker("alone");
    const item = await alone.takeAlone();
    assert.ok(item);
    assert.deepEqual((await alone.settle([item], RETURNED)).refused, []);
    const grant = await kit.worker("w2").claim();
    assert.deepEqual([grant.items.length, grant.suspects], [0, 1]);
    assert.equal((await alone.takeAlone())?.key, "a");
  });

  test("deaths while alone soon fail the item if the scraper caused them, later if unexplained, never as worker-lost", async (kit) => {
    const deaths = async (key: string, cause: typeof blame | typeof unknown) => {
      await kit.job(key, [key]);
      await suspectOf(kit, key, key);
      for (let count = 0; count < 20; count++) {
        if ((await dieAlone(kit, kit.ledger, `${key}-${count}`, cause)) === undefined) return count;
      }
      return Infinity;
    };
    const [blamed, unexplained] = [await deaths("blamed", blame), await deaths("unexplained", unknown)];
    assert.ok(blamed >= 2 && blamed <= 3, `${blamed} deaths`);
    assert.ok(unexplained > blamed && unexplained <= 10, `${unexplained} deaths`);
    for (const key of ["blamed", "unexplained"]) {
      const item = await kit.item(key, key);
      assert.deepEqual([item.state, item.failure?.kind], ["failed", "scraper-error"]);
      assert.equal(item.history.length, 1);
      assert.equal((await kit.counts(key)).states.failed, 1);
    }
    assert.match((await kit.item("blamed", "blamed")).failure?.detail ?? "", /exit code 7/);
  });

  test("between two deaths a suspect waits, longer each time", async (kit) => {
    await kit.job("job", ["a"]);
    await suspectOf(kit, "job", "a");
    const waits: number[] = [];
    for (let i = 0; i < 3; i++) {
      const name = `alone-${i}`;
      assert.ok(await kit.worker(name).takeAlone());
      await kit.ledger.reap({ worker: name, cause: unknown });
      const { items, againInMs } = await kit.worker("asks").claim(1, { alone: true });
      assert.deepEqual(items, []);
      waits.push(againInMs ?? 0);
      kit.pass(againInMs ?? 0);
    }
    const [first = 0, second = 0, third = 0] = waits;
    assert.ok(first > 0 && second > first && third > second, waits.join());
  });

  test("a retried suspect starts without its earlier deaths", async (kit) => {
    await kit.job("job", ["a"]);
    await suspectOf(kit, "job", "a");
    for (let i = 0; i < 3; i++) await dieAlone(kit, kit.ledger, `first-${i}`, blame);
    assert.equal((await kit.item("job", "a")).state, "failed");
    assert.equal(await kit.ledger.retryItems("job", { kinds: ["scraper-error"] }), 1);
    await suspectOf(kit, "job", "a");
    await dieAlone(kit, kit.ledger, "second", blame);
    assert.equal((await kit.item("job", "a")).state, "queued");
  });

  test("an item whose acting request was sent is not retried automatically: the only final worker-lost", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3));
    await kit.ledger.sealJob("job");
    const [acted, runs] = await worker.take(3);
    assert.ok(acted && runs);
    await worker.pulse({ acting: [acted], running: [acted, runs] });
    await kit.ledger.reap({ worker: "w1", cause: unknown });
    const item = await kit.item("job", acted.key);
    assert.deepEqual([item.state, item.failure?.kind, item.attempts], ["failed", "worker-lost", 1]);
    const others = (await kit.items("job")).filter(({ key }) => key !== acted.key);
    assert.ok(others.every(({ state }) => state === "queued"));
    assert.equal((await kit.worker("w2").take()).length, 1);
    assert.equal(await kit.ledger.retryItems("job", { kinds: ["worker-lost"] }), 1);
    await suspectOf(kit, "job", acted.key);
    assert.equal((await kit.item("job", acted.key)).state, "queued");
  });

  test("a job whose last item is given up by a reap is done", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    await kit.ledger.sealJob("job");
    const [item] = await worker.take();
    await worker.pulse({ acting: [item!] });
    await kit.ledger.reap({ worker: "w1" });
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
  });

  test("a dead worker's part of the lane's concurrency is free again", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(9), { pace: { ...UNPACED, concurrency: 2 } });
    await one.take();
    await one.pulse({ running: [] });
    assert.deepEqual(await two.takeKeys(), []);
    await kit.ledger.reap({ worker: "w1" });
    assert.equal((await two.take()).length, 2);
  });

  test("a suspect uses a place of the lane and a slot like any other item", async (kit) => {
    await kit.job("job", ["a"], { pace: { perSecond: 1, burst: 1, concurrency: 1 } });
    await suspectOf(kit, "job", "a");
    await kit.ledger.addItems("job", planned(keysOf(3)), []);
    kit.pass(10);
    const worker = kit.worker("w2");
    const alone = kit.worker("alone");
    const [busy] = await worker.take();
    assert.ok(busy);
    kit.pass(5000);
    await worker.pulse();
    assert.equal(await alone.takeAlone(), undefined);
    assert.ok(((await alone.claim(1, { alone: true })).againInMs ?? 0) > 0);
    await worker.settle([busy]);
    await worker.pulse();
    const grant = await alone.claim(1, { alone: true });
    assert.deepEqual([grant.items[0]?.key, grant.slots.length, grant.slots[0]?.lane], ["a", 1, SITE]);
    const hop = await alone.pulse({ wishes: [{ lane: SITE, queue: grant.items[0]!.queue, count: 1 }] });
    assert.deepEqual(hop.slots[0]?.delaysMs, [1000], "its first slot is spent");
  });

  test("suspects of a stopped job wait, and need no worker", async (kit) => {
    await kit.job("job", ["a"]);
    await suspectOf(kit, "job", "a");
    await kit.ledger.controlJob("job", "pause");
    const alone = kit.worker("alone");
    const paused = await alone.claim(1, { alone: true });
    assert.deepEqual([paused.items, paused.suspects, paused.againInMs], [[], 0, undefined]);
    await kit.ledger.controlJob("job", "resume");
    assert.equal((await alone.takeAlone())?.key, "a");
    await alone.settle([...alone.held.values()], failed("timeout"));
    await kit.ledger.retryItems("job", {});
    await suspectOf(kit, "job", "a");
    await kit.ledger.controlJob("job", "cancel");
    assert.equal((await alone.claim(1, { alone: true })).suspects, 0);
  });

  test("suspects run even if many others cannot, because their job is stopped or their lane is held", async (kit) => {
    const pace = { ...UNPACED, concurrency: 1000 };
    for (const id of ["paused", "cancelled", "held"]) {
      await kit.job(id, keysOf(100), { pace, lane: `${id}.test` });
      assert.equal((await kit.worker(id).take(100, { jobs: [id] })).length, 100);
      await kit.ledger.reap({ worker: id, cause: unknown });
    }
    await kit.ledger.controlJob("paused", "pause");
    await kit.ledger.controlJob("cancelled", "cancel");
    await kit.ledger.controlLane("held.test", { isHeld: true });
    kit.pass(1000);
    await kit.job("job", ["a"]);
    await suspectOf(kit, "job", "a");
    assert.equal((await kit.worker("alone").takeAlone())?.key, "a");
  });
};
