import assert from "node:assert/strict";
import { failed, RETURNED } from "./sim-worker.ts";
import { code, keysOf, LEASE_MS, type LedgerTest, type World } from "./world.ts";

const isQuiet = async ({ ledger }: World, job = "job"): Promise<boolean> => {
  const reply = await ledger.isQuiet(job);
  if (!reply.quiet) assert.ok(reply.againInMs > 0 && reply.againInMs <= 1000);
  return reply.quiet;
};

export const stopping = (test: LedgerTest): void => {
  for (const to of ["pause", "cancel"] as const)
    test(`after ${to} a job is quiet once every worker that had items of it has heard so`, async (world) => {
      const [one, two, idle] = ["w1", "w2", "w3"].map((name) => world.worker(name));
      await world.job("job", keysOf(10));
      await world.job("other", keysOf(10, "o"), { lane: "b.test" });
      assert.equal(await isQuiet(world), false);
      const [first] = await one!.take(2, { jobs: ["job"] });
      await two!.take(2, { jobs: ["job"] });
      await idle!.take(2, { jobs: ["other"] });
      await world.ledger.steerJob("job", to);
      assert.equal(await isQuiet(world), false);
      assert.deepEqual((await one!.pulse()).stopped, [first!.queue]);
      // The answer is on its way: that it arrived is known from the next pulse.
      await two!.pulse();
      await one!.pulse();
      assert.equal(await isQuiet(world), false);
      await two!.pulse();
      assert.equal(await isQuiet(world), true);
      assert.equal((await world.ledger.isQuiet("other")).quiet, false);
    });

  test("a worker hears of a stopped queue even when it does not name the items it has just been given", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(4));
    const [item] = await worker.take(2);
    await world.ledger.steerJob("job", "cancel");
    assert.deepEqual((await worker.pulse({ running: [] })).stopped, [item!.queue]);
    assert.equal(await isQuiet(world), false);
    assert.deepEqual((await worker.pulse({ running: [] })).stopped, [item!.queue]);
    assert.equal(await isQuiet(world), true);
  });

  test("a claim is not a hearing: its answer does not say what has stopped", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(4));
    await worker.take(2);
    await world.ledger.steerJob("job", "pause");
    await worker.claim();
    await worker.claim();
    assert.equal(await isQuiet(world), false);
  });

  test("for a worker that is given up nobody waits", async (world) => {
    const [one, two] = [world.worker("w1"), world.worker("w2")];
    await world.job("job", keysOf(10));
    await one.take(2);
    await two.take(2);
    await world.ledger.steerJob("job", "pause");
    await world.ledger.reap({ worker: "w1" });
    assert.equal(await isQuiet(world), false);
    world.pass(LEASE_MS + 1);
    assert.equal(await isQuiet(world), true);
  });

  test("a job without items in anybody's hands is quiet at once, and one that goes on never is", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(3));
    await worker.settle(await worker.take(1));
    await world.ledger.steerJob("job", "pause");
    assert.equal(await isQuiet(world), true);
    await world.ledger.steerJob("job", "resume");
    assert.equal(await isQuiet(world), false);
    await worker.take(1);
    await world.ledger.steerJob("job", "pause");
    await worker.pulse();
    await world.ledger.steerJob("job", "resume");
    await world.ledger.steerJob("job", "pause");
    await worker.pulse();
    assert.equal(await isQuiet(world), false);
    await assert.rejects(() => world.ledger.isQuiet("none"), code("no-such-job"));
  });

  test("a job that the breaker paused is quiet once its workers have heard so", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(60));
    const [item] = await worker.take(5);
    await worker.tell(item!.queue, "structure-changed", 40);
    assert.equal((await world.ledger.readJob("job"))?.state, "paused");
    assert.equal(await isQuiet(world), false);
    await worker.pulse();
    assert.equal(await isQuiet(world), true);
  });

  test("an item whose acting request was announced and never left is given back as one that has not acted", async (world) => {
    const worker = world.worker();
    await world.job("job", ["a"]);
    const items = await worker.take();
    await worker.pulse({ acting: items });
    await world.ledger.steerJob("job", "pause");
    await worker.settle(items, RETURNED);
    await world.ledger.steerJob("job", "resume");
    assert.equal((await worker.take()).length, 1);
    const { suspects } = await world.ledger.reap({ worker: "w1" });
    assert.equal(suspects, 1);
    assert.equal((await world.item("job", "a")).state, "queued");
  });

  test("paused and resumed over many lanes, a job goes on in each of them", async (world) => {
    const worker = world.worker();
    await world.job("job", []);
    for (let i = 0; i < 120; i++)
      await world.ledger.addItems("job", [{ key: `k${i}`, input: "{}", lane: `h${i}.test` }], []);
    await world.ledger.steerJob("job", "pause");
    assert.deepEqual(await worker.takeKeys(500), []);
    await world.ledger.steerJob("job", "resume");
    assert.equal((await worker.takeKeys(500)).length, 120);
  });

  test("a job whose last items failed after it was paused, or held in its only lane, goes on when they are retried", async (world) => {
    const worker = world.worker();
    for (const stop of ["pause", "hold"] as const) {
      await world.job(stop, keysOf(40), { lane: `${stop}.test` });
      await world.ledger.sealJob(stop);
      const items = await worker.take(100, { jobs: [stop] });
      if (stop === "pause") await world.ledger.steerJob(stop, "pause");
      else await worker.tell(items[0]!.queue, "structure-changed", 40);
      assert.equal((await world.ledger.readJob(stop))?.state, "paused");
      await worker.settle(items, failed("structure-changed"));
      assert.equal((await world.ledger.readJob(stop))?.state, "done");
      assert.equal(await world.ledger.retryItems(stop, {}), 40);
      assert.equal((await worker.take(100, { jobs: [stop] })).length, 40, stop);
      assert.deepEqual((await world.ledger.readJob(stop))?.held, []);
    }
  });

  test("retried, a job that is paused stays so", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(3));
    await worker.settle(await worker.take(1), failed("timeout"));
    await world.ledger.steerJob("job", "pause");
    assert.equal(await world.ledger.retryItems("job", {}), 1);
    assert.equal((await world.ledger.readJob("job"))?.state, "paused");
    assert.deepEqual(await worker.takeKeys(), []);
  });
};
