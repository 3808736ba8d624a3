import assert from "node:assert/strict";
import { failed, RETURNED } from "./sim-worker.ts";
import { code, keysOf, LEASE_MS, type LedgerTest, type Kit } from "./test-kit.ts";

const isQuiet = async ({ ledger }: Kit, job = "job"): Promise<boolean> => {
  const reply = await ledger.isQuiet(job);
  if (!reply.quiet) assert.ok(reply.againInMs > 0 && reply.againInMs <= 1000);
  return reply.quiet;
};

export const stopping = (test: LedgerTest): void => {
  for (const to of ["pause", "cancel"] as const)
    test(`after ${to} a job is quiet once every worker with items of it has confirmed`, async (kit) => {
      const [one, two, idle] = ["w1", "w2", "w3"].map((name) => kit.worker(name));
      await kit.job("job", keysOf(10));
      await kit.job("other", keysOf(10, "o"), { lane: "b.test" });
      assert.equal(await isQuiet(kit), false);
      const [first] = await one!.take(2, { jobs: ["job"] });
      await two!.take(2, { jobs: ["job"] });
      await idle!.take(2, { jobs: ["other"] });
      await kit.ledger.controlJob("job", to);
      assert.equal(await isQuiet(kit), false);
      assert.deepEqual((await one!.pulse()).stopped, [first!.queue]);
      // The answer is on its way: that it arrived is known from the next pulse.
      await two!.pulse();
      await one!.pulse();
      assert.equal(await isQuiet(kit), false);
      await two!.pulse();
      assert.equal(await isQuiet(kit), true);
      assert.equal((await kit.ledger.isQuiet("other")).quiet, false);
    });

  test("a worker learns of a stopped queue even if it does not name the items it has just claimed", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(4));
    const [item] = await worker.take(2);
    await kit.ledger.controlJob("job", "cancel");
    assert.deepEqual((await worker.pulse({ running: [] })).stopped, [item!.queue]);
    assert.equal(await isQuiet(kit), false);
    assert.deepEqual((await worker.pulse({ running: [] })).stopped, [item!.queue]);
    assert.equal(await isQuiet(kit), true);
  });

  test("a claim does not confirm a stop, because its answer does not say what has stopped", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(4));
    await worker.take(2);
    await kit.ledger.controlJob("job", "pause");
    await worker.claim();
    await worker.claim();
    assert.equal(await isQuiet(kit), false);
  });

  test("a stop does not wait for a worker that is given up", async (kit) => {
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(10));
    await one.take(2);
    await two.take(2);
    await kit.ledger.controlJob("job", "pause");
    await kit.ledger.reap({ worker: "w1" });
    assert.equal(await isQuiet(kit), false);
    kit.pass(LEASE_MS + 1);
    assert.equal(await isQuiet(kit), true);
  });

  test("a job without leased items is quiet at once, and a running job never is", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3));
    await worker.settle(await worker.take(1));
    await kit.ledger.controlJob("job", "pause");
    assert.equal(await isQuiet(kit), true);
    await kit.ledger.controlJob("job", "resume");
    assert.equal(await isQuiet(kit), false);
    await worker.take(1);
    await kit.ledger.controlJob("job", "pause");
    await worker.pulse();
    await kit.ledger.controlJob("job", "resume");
    await kit.ledger.controlJob("job", "pause");
    await worker.pulse();
    assert.equal(await isQuiet(kit), false);
    await assert.rejects(() => kit.ledger.isQuiet("none"), code("no-such-job"));
  });

  test("a job that the breaker paused is quiet once its workers have confirmed", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(60));
    const [item] = await worker.take(5);
    await worker.tell(item!.queue, "structure-changed", 40);
    assert.equal((await kit.ledger.readJob("job"))?.state, "paused");
    assert.equal(await isQuiet(kit), false);
    await worker.pulse();
    assert.equal(await isQuiet(kit), true);
  });

  test("an item whose acting request was announced but not sent is returned as one that has not acted", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    const items = await worker.take();
    await worker.pulse({ acting: items });
    await kit.ledger.controlJob("job", "pause");
    await worker.settle(items, RETURNED);
    await kit.ledger.controlJob("job", "resume");
    assert.equal((await worker.take()).length, 1);
    const { suspects } = await kit.ledger.reap({ worker: "w1" });
    assert.equal(suspects, 1);
    assert.equal((await kit.item("job", "a")).state, "queued");
  });

  test("a job that is paused and resumed continues in each of its many lanes", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", []);
    for (let i = 0; i < 120; i++)
      await kit.ledger.addItems("job", [{ key: `k${i}`, input: "{}", lane: `h${i}.test` }], []);
    await kit.ledger.controlJob("job", "pause");
    assert.deepEqual(await worker.takeKeys(500), []);
    await kit.ledger.controlJob("job", "resume");
    assert.equal((await worker.takeKeys(500)).length, 120);
  });

  test("a job whose last items failed after it was paused or held continues when they are retried", async (kit) => {
    const worker = kit.worker();
    for (const stop of ["pause", "hold"] as const) {
      await kit.job(stop, keysOf(40), { lane: `${stop}.test` });
      await kit.ledger.sealJob(stop);
      const items = await worker.take(100, { jobs: [stop] });
      if (stop === "pause") await kit.ledger.controlJob(stop, "pause");
      else await worker.tell(items[0]!.queue, "structure-changed", 40);
      assert.equal((await kit.ledger.readJob(stop))?.state, "paused");
      await worker.settle(items, failed("structure-changed"));
      assert.equal((await kit.ledger.readJob(stop))?.state, "done");
      assert.equal(await kit.ledger.retryItems(stop, {}), 40);
      assert.equal((await worker.take(100, { jobs: [stop] })).length, 40, stop);
      assert.deepEqual((await kit.ledger.readJob(stop))?.held, []);
    }
  });

  test("a retry does not resume a paused job", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(3));
    await worker.settle(await worker.take(1), failed("timeout"));
    await kit.ledger.controlJob("job", "pause");
    assert.equal(await kit.ledger.retryItems("job", {}), 1);
    assert.equal((await kit.ledger.readJob("job"))?.state, "paused");
    assert.deepEqual(await worker.takeKeys(), []);
  });
};
