import assert from "node:assert/strict";
import { DONE, RETURNED, type SimWorker, waiting } from "./sim-worker.ts";
import { keysOf, LEASE_MS, type LedgerTest, planned, SITE, type Kit } from "./test-kit.ts";

/** A minute after the first trip, and a good deal longer after a second one. */
const COOL_DOWN_MS = 60_000;

const held = async (kit: Kit, job: string) => (await kit.ledger.readJob(job))?.held ?? [];
const types = async (kit: Kit) => (await kit.ledger.events.read({ limit: 100 })).map(({ type }) => type);

/** A job with 50 items, one of them leased; answers its queue. */
const started = async (kit: Kit, worker: SimWorker, job: string, lane = SITE): Promise<number> => {
  await kit.job(job, keysOf(50), { lane });
  const [item] = await worker.take(1, { jobs: [job] });
  assert.ok(item);
  return item.queue;
};

/** Healing trouble: the lane is held, and probed later. */
const tripped = async (kit: Kit, worker: SimWorker, job = "job"): Promise<number> => {
  const queue = await started(kit, worker, job);
  await worker.tell(queue, "blocked", 25);
  assert.equal((await held(kit, job)).length, 1);
  await worker.settle([...worker.held.values()], waiting(0, "blocked"));
  return queue;
};

export const breaker = (test: LedgerTest): void => {
  test("twenty failures in a row hold the job's lane, with evidence, and nothing more starts", async (kit) => {
    const worker = kit.worker();
    const queue = await started(kit, worker, "job");
    await worker.tell(queue, "done", 3);
    const reply = await worker.tell(queue, "structure-changed", 20);
    assert.deepEqual(reply.stopped, [queue]);
    const [lane] = await held(kit, "job");
    assert.equal(lane?.lane, SITE);
    assert.equal(lane?.heldAt, kit.nowMs);
    assert.equal(lane?.probeAt, undefined);
    assert.match(lane?.reason ?? "", /structure-changed/);
    const evidence = lane?.evidence as { counts: Record<string, number> };
    assert.ok((evidence.counts["structure-changed"] ?? 0) >= 7);
    assert.deepEqual(await worker.takeKeys(), []);
    const wishes = [{ lane: SITE, queue, count: 1 }];
    const again = await worker.pulse({ wishes });
    assert.deepEqual([again.slots, again.unpaced.includes(SITE) && again.stopped.length === 0], [[], false]);
    kit.pass(3_600_000);
    await worker.pulse();
    assert.deepEqual(await worker.takeKeys(), [], "a person must decide");
  });

  test("a few failures among many good answers hold nothing", async (kit) => {
    const worker = kit.worker();
    const queue = await started(kit, worker, "job");
    for (let i = 0; i < 40; i++) {
      await worker.tell(queue, "done", 19);
      await worker.tell(queue, "server-error", 1);
    }
    assert.deepEqual(await held(kit, "job"), []);
  });

  test("reports of several workers count together", async (kit) => {
    const workers = [kit.worker("w1"), kit.worker("w2", await kit.another()), kit.worker("w3")];
    const queue = await started(kit, workers[0]!, "job");
    for (const worker of workers) await worker.claim(1);
    for (let i = 0; i < 21; i++) await workers[i % 3]!.tell(queue, "structure-changed");
    assert.equal((await held(kit, "job")).length, 1);
  });

  test("repeated failures of one item do not count against the site", async (kit) => {
    const worker = kit.worker();
    const queue = await started(kit, worker, "job");
    const again = { queue, result: "server-error", attempt: 2 } as const;
    await worker.pulse({ outcomes: Array.from({ length: 50 }, () => again) });
    assert.deepEqual(await held(kit, "job"), []);
  });

  test("a required field that goes missing, and a search that finds nothing, hold the lane too", async (kit) => {
    const worker = kit.worker();
    const fields = await started(kit, worker, "fields", "a.test");
    await worker.tell(fields, "done", 100);
    await worker.tell(fields, "done", 20, ["owner"]);
    assert.match((await held(kit, "fields"))[0]?.reason ?? "", /owner/);
    const absent = await started(kit, worker, "absent", "b.test");
    await worker.tell(absent, "done", 100);
    await worker.tell(absent, "absent", 40);
    assert.equal((await held(kit, "absent")).length, 1);
  });

  test("other jobs in the lane, and other lanes of the job, go on", async (kit) => {
    const worker = kit.worker();
    const queue = await started(kit, worker, "job");
    await kit.ledger.addItems("job", planned(["elsewhere"], "b.test"), []);
    await kit.job("other", ["same-lane"]);
    await worker.tell(queue, "structure-changed", 20);
    assert.equal((await kit.ledger.readJob("job"))?.state, "loading");
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["elsewhere", "same-lane"]);
  });

  test("a job whose lanes all wait for a person is paused, and resume continues it", async (kit) => {
    const worker = kit.worker();
    const first = await started(kit, worker, "job");
    await kit.ledger.addItems("job", planned(["elsewhere"], "b.test"), []);
    const [item] = await worker.take(50).then((items) => items.filter(({ lane }) => lane === "b.test"));
    assert.ok(item);
    await worker.tell(first, "structure-changed", 20);
    await worker.tell(item.queue, "structure-changed", 20);
    const view = await kit.ledger.readJob("job");
    assert.deepEqual(
      [view?.state, view?.paused?.cause, view?.paused?.at],
      ["paused", "lanes-held", kit.nowMs],
    );
    assert.deepEqual(await types(kit), ["job.started", "lane.held", "lane.held", "job.paused"]);
    await worker.settle([...worker.held.values()], RETURNED);
    assert.deepEqual(await worker.takeKeys(), []);
    await kit.ledger.controlJob("job", "resume");
    assert.deepEqual(await held(kit, "job"), []);
    assert.equal((await worker.take()).length, 51);
    await worker.tell(first, "structure-changed", 3);
    assert.deepEqual(await held(kit, "job"), [], "what was held against the site is forgotten");
  });

  test("a lane that heals is probed with a single item after its cool-down, and released when that succeeds", async (kit) => {
    const worker = kit.worker();
    const queue = await tripped(kit, worker);
    assert.equal((await held(kit, "job"))[0]?.probeAt, kit.nowMs + COOL_DOWN_MS);
    assert.equal((await kit.ledger.readJob("job"))?.state, "loading");
    assert.equal((await worker.claim()).againInMs, COOL_DOWN_MS);
    kit.pass(COOL_DOWN_MS - 1);
    assert.deepEqual(await worker.takeKeys(), []);
    kit.pass(1);
    const other = kit.worker("w2", await kit.another());
    const probe = await other.take(50);
    assert.equal(probe.length, 1);
    assert.deepEqual(await worker.takeKeys(), []);
    const hop = await other.pulse({ wishes: [{ lane: SITE, queue, count: 1 }] });
    assert.deepEqual([hop.stopped, hop.unpaced], [[], [SITE, SITE].slice(0, hop.unpaced.length)]);
    assert.ok(hop.unpaced.length > 0, "the probe itself may run");
    await other.tell(queue, "done");
    assert.deepEqual(await held(kit, "job"), []);
    assert.equal((await worker.take()).length, 49);
    assert.deepEqual((await types(kit)).slice(-2), ["lane.held", "lane.released"]);
  });

  test("a probe that fails makes the next cool-down longer", async (kit) => {
    const worker = kit.worker();
    const queue = await tripped(kit, worker);
    kit.pass(COOL_DOWN_MS);
    assert.equal((await worker.take()).length, 1);
    await worker.tell(queue, "blocked");
    const probeAt = (await held(kit, "job"))[0]?.probeAt ?? 0;
    assert.ok(probeAt >= kit.nowMs + 1.5 * COOL_DOWN_MS);
    await worker.settle([...worker.held.values()], waiting(0, "blocked"));
    kit.pass(COOL_DOWN_MS);
    assert.deepEqual(await worker.takeKeys(), []);
    kit.pass(probeAt - kit.nowMs);
    assert.equal((await worker.take()).length, 1);
  });

  test("a probe that was returned untried, or whose worker died, is started again", async (kit) => {
    const worker = kit.worker();
    await tripped(kit, worker);
    kit.pass(COOL_DOWN_MS);
    await worker.settle(await worker.take(), RETURNED);
    const again = await worker.take();
    assert.equal(again.length, 1);
    kit.pass(LEASE_MS + 1);
    await kit.ledger.reap({});
    assert.equal((await kit.worker("w2").take()).length, 1);
  });

  test("a probe whose worker settled it and died before it reported the outcome does not hold the lane forever", async (kit) => {
    const worker = kit.worker();
    await tripped(kit, worker);
    kit.pass(COOL_DOWN_MS);
    await worker.settle(await worker.take(), DONE);
    kit.pass(LEASE_MS + 1);
    await kit.ledger.reap({});
    kit.pass(10 * COOL_DOWN_MS);
    assert.ok((await kit.worker("w2").take()).length > 0);
  });

  test("a pause during a probe stops the probe, and its result releases nothing", async (kit) => {
    const worker = kit.worker();
    const queue = await tripped(kit, worker);
    kit.pass(COOL_DOWN_MS);
    await worker.take();
    await kit.ledger.controlJob("job", "pause");
    const reply = await worker.pulse({ wishes: [{ lane: SITE, queue, count: 1 }] });
    assert.deepEqual([reply.stopped, reply.slots], [[queue], []]);
    await worker.tell(queue, "done");
    await worker.settle([...worker.held.values()]);
    assert.deepEqual(await worker.takeKeys(), []);
    kit.pass(10 * COOL_DOWN_MS);
    const { items, againInMs } = await kit.worker("w2").claim();
    assert.deepEqual([items, againInMs], [[], undefined]);
    await kit.ledger.controlJob("job", "resume");
    assert.equal((await kit.worker("w2").take()).length, 49);
  });

  test("a cancelled job is no longer held", async (kit) => {
    await tripped(kit, kit.worker());
    await kit.ledger.controlJob("job", "cancel");
    assert.deepEqual(await held(kit, "job"), []);
  });

  test("outcomes of an ended job are ignored", async (kit) => {
    const worker = kit.worker();
    const queue = await started(kit, worker, "job");
    await kit.ledger.controlJob("job", "cancel");
    await worker.tell(queue, "structure-changed", 25);
    assert.deepEqual(await held(kit, "job"), []);
    await worker.settle([...worker.held.values()]);
    assert.deepEqual(await types(kit), ["job.started", "job.cancelled"]);
  });

  test("the usual shares of a lane carry over to the scraper's next job", async (kit) => {
    const worker = kit.worker();
    const run = async (job: string) => {
      const queue = await started(kit, worker, job);
      for (let i = 0; i < 60; i++) {
        await worker.tell(queue, "absent", 9);
        await worker.tell(queue, "done", 1);
      }
      await worker.settle([...worker.held.values()]);
      await worker.settle(await worker.take());
      await kit.ledger.sealJob(job);
      return await kit.ledger.readJob(job);
    };
    assert.equal((await run("first"))?.state, "done");
    const queue = await started(kit, worker, "second");
    await worker.tell(queue, "absent", 45);
    assert.deepEqual(await held(kit, "second"), [], "forty-five absents are usual here");
    const other = await started(kit, worker, "third", "other.test");
    await worker.tell(other, "absent", 45);
    assert.equal((await held(kit, "third")).length, 1);
  });
};
