import assert from "node:assert/strict";
import { DONE, RETURNED, type SimWorker, waiting } from "./sim-worker.ts";
import { keysOf, LEASE_MS, type LedgerTest, planned, SITE, type World } from "./world.ts";

/** A minute after the first trip, and a good deal longer after a second one. */
const COOL_DOWN_MS = 60_000;

const held = async (world: World, job: string) => (await world.ledger.readJob(job))?.held ?? [];
const types = async (world: World) =>
  (await world.ledger.events.read({ limit: 100 })).map(({ type }) => type);

/** A job with 50 items, one of them in hand; answers its queue. */
const started = async (world: World, worker: SimWorker, job: string, lane = SITE): Promise<number> => {
  await world.job(job, keysOf(50), { lane });
  const [item] = await worker.take(1, { jobs: [job] });
  assert.ok(item);
  return item.queue;
};

/** Healing trouble: the lane is held, and probed later. */
const tripped = async (world: World, worker: SimWorker, job = "job"): Promise<number> => {
  const queue = await started(world, worker, job);
  await worker.tell(queue, "blocked", 25);
  assert.equal((await held(world, job)).length, 1);
  await worker.settle([...worker.held.values()], waiting(0, "blocked"));
  return queue;
};

export const breaker = (test: LedgerTest): void => {
  test("twenty straight failures hold the job's lane, with the evidence, and nothing more starts", async (world) => {
    const worker = world.worker();
    const queue = await started(world, worker, "job");
    await worker.tell(queue, "done", 3);
    const reply = await worker.tell(queue, "structure-changed", 20);
    assert.deepEqual(reply.stopped, [queue]);
    const [lane] = await held(world, "job");
    assert.equal(lane?.lane, SITE);
    assert.equal(lane?.heldAt, world.nowMs);
    assert.equal(lane?.probeAt, undefined);
    assert.match(lane?.reason ?? "", /structure-changed/);
    const evidence = lane?.evidence as { counts: Record<string, number> };
    assert.ok((evidence.counts["structure-changed"] ?? 0) >= 7);
    assert.deepEqual(await worker.takeKeys(), []);
    const wishes = [{ lane: SITE, queue, count: 1 }];
    const again = await worker.pulse({ wishes });
    assert.deepEqual([again.slots, again.unpaced.includes(SITE) && again.stopped.length === 0], [[], false]);
    world.pass(3_600_000);
    await worker.pulse();
    assert.deepEqual(await worker.takeKeys(), [], "a person must decide");
  });

  test("a few failures among many good answers hold nothing", async (world) => {
    const worker = world.worker();
    const queue = await started(world, worker, "job");
    for (let i = 0; i < 40; i++) {
      await worker.tell(queue, "done", 19);
      await worker.tell(queue, "server-error", 1);
    }
    assert.deepEqual(await held(world, "job"), []);
  });

  test("reports of several workers are one evidence", async (world) => {
    const workers = [world.worker("w1"), world.worker("w2", await world.another()), world.worker("w3")];
    const queue = await started(world, workers[0]!, "job");
    for (const worker of workers) await worker.claim(1);
    for (let i = 0; i < 21; i++) await workers[i % 3]!.tell(queue, "structure-changed");
    assert.equal((await held(world, "job")).length, 1);
  });

  test("that an item fails again says nothing against the site", async (world) => {
    const worker = world.worker();
    const queue = await started(world, worker, "job");
    const again = { queue, result: "server-error", attempt: 2 } as const;
    await worker.pulse({ outcomes: Array.from({ length: 50 }, () => again) });
    assert.deepEqual(await held(world, "job"), []);
  });

  test("a required field that goes missing, and a search that finds nothing, hold the lane too", async (world) => {
    const worker = world.worker();
    const fields = await started(world, worker, "fields", "a.test");
    await worker.tell(fields, "done", 100);
    await worker.tell(fields, "done", 20, ["owner"]);
    assert.match((await held(world, "fields"))[0]?.reason ?? "", /owner/);
    const absent = await started(world, worker, "absent", "b.test");
    await worker.tell(absent, "done", 100);
    await worker.tell(absent, "absent", 40);
    assert.equal((await held(world, "absent")).length, 1);
  });

  test("other jobs in the lane, and other lanes of the job, go on", async (world) => {
    const worker = world.worker();
    const queue = await started(world, worker, "job");
    await world.ledger.addItems("job", planned(["elsewhere"], "b.test"), []);
    await world.job("other", ["same-lane"]);
    await worker.tell(queue, "structure-changed", 20);
    assert.equal((await world.ledger.readJob("job"))?.state, "loading");
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["elsewhere", "same-lane"]);
  });

  test("a job all of whose lanes wait for a person is paused, and resume lets it go on", async (world) => {
    const worker = world.worker();
    const first = await started(world, worker, "job");
    await world.ledger.addItems("job", planned(["elsewhere"], "b.test"), []);
    const [item] = await worker.take(50).then((items) => items.filter(({ lane }) => lane === "b.test"));
    assert.ok(item);
    await worker.tell(first, "structure-changed", 20);
    await worker.tell(item.queue, "structure-changed", 20);
    const view = await world.ledger.readJob("job");
    assert.deepEqual(
      [view?.state, view?.paused?.cause, view?.paused?.at],
      ["paused", "lanes-held", world.nowMs],
    );
    assert.deepEqual(await types(world), ["job.started", "lane.held", "lane.held", "job.paused"]);
    await worker.settle([...worker.held.values()], RETURNED);
    assert.deepEqual(await worker.takeKeys(), []);
    await world.ledger.steerJob("job", "resume");
    assert.deepEqual(await held(world, "job"), []);
    assert.equal((await worker.take()).length, 51);
    await worker.tell(first, "structure-changed", 3);
    assert.deepEqual(await held(world, "job"), [], "what was held against the site is forgotten");
  });

  test("a lane that heals is probed after its cool-down with a single item, and released when that comes through", async (world) => {
    const worker = world.worker();
    const queue = await tripped(world, worker);
    assert.equal((await held(world, "job"))[0]?.probeAt, world.nowMs + COOL_DOWN_MS);
    assert.equal((await world.ledger.readJob("job"))?.state, "loading");
    assert.equal((await worker.claim()).againInMs, COOL_DOWN_MS);
    world.pass(COOL_DOWN_MS - 1);
    assert.deepEqual(await worker.takeKeys(), []);
    world.pass(1);
    const other = world.worker("w2", await world.another());
    const probe = await other.take(50);
    assert.equal(probe.length, 1);
    assert.deepEqual(await worker.takeKeys(), []);
    const hop = await other.pulse({ wishes: [{ lane: SITE, queue, count: 1 }] });
    assert.deepEqual([hop.stopped, hop.unpaced], [[], [SITE, SITE].slice(0, hop.unpaced.length)]);
    assert.ok(hop.unpaced.length > 0, "the probe itself may run");
    await other.tell(queue, "done");
    assert.deepEqual(await held(world, "job"), []);
    assert.equal((await worker.take()).length, 49);
    assert.deepEqual((await types(world)).slice(-2), ["lane.held", "lane.released"]);
  });

  test("a probe that fails makes the next cool-down longer", async (world) => {
    const worker = world.worker();
    const queue = await tripped(world, worker);
    world.pass(COOL_DOWN_MS);
    assert.equal((await worker.take()).length, 1);
    await worker.tell(queue, "blocked");
    const probeAt = (await held(world, "job"))[0]?.probeAt ?? 0;
    assert.ok(probeAt >= world.nowMs + 1.5 * COOL_DOWN_MS);
    await worker.settle([...worker.held.values()], waiting(0, "blocked"));
    world.pass(COOL_DOWN_MS);
    assert.deepEqual(await worker.takeKeys(), []);
    world.pass(probeAt - world.nowMs);
    assert.equal((await worker.take()).length, 1);
  });

  test("a probe that was given back untried, or whose worker died, is let through again", async (world) => {
    const worker = world.worker();
    await tripped(world, worker);
    world.pass(COOL_DOWN_MS);
    await worker.settle(await worker.take(), RETURNED);
    const again = await worker.take();
    assert.equal(again.length, 1);
    world.pass(LEASE_MS + 1);
    await world.ledger.reap({});
    assert.equal((await world.worker("w2").take()).length, 1);
  });

  test("a probe whose worker settled it and died before it told the outcome does not hold the lane for ever", async (world) => {
    const worker = world.worker();
    await tripped(world, worker);
    world.pass(COOL_DOWN_MS);
    await worker.settle(await worker.take(), DONE);
    world.pass(LEASE_MS + 1);
    await world.ledger.reap({});
    world.pass(10 * COOL_DOWN_MS);
    assert.ok((await world.worker("w2").take()).length > 0);
  });

  test("a pause during a probe is a pause: the probe stops, and its answer opens nothing", async (world) => {
    const worker = world.worker();
    const queue = await tripped(world, worker);
    world.pass(COOL_DOWN_MS);
    await worker.take();
    await world.ledger.steerJob("job", "pause");
    const reply = await worker.pulse({ wishes: [{ lane: SITE, queue, count: 1 }] });
    assert.deepEqual([reply.stopped, reply.slots], [[queue], []]);
    await worker.tell(queue, "done");
    await worker.settle([...worker.held.values()]);
    assert.deepEqual(await worker.takeKeys(), []);
    world.pass(10 * COOL_DOWN_MS);
    const { items, againInMs } = await world.worker("w2").claim();
    assert.deepEqual([items, againInMs], [[], undefined]);
    await world.ledger.steerJob("job", "resume");
    assert.equal((await world.worker("w2").take()).length, 49);
  });

  test("a job that is cancelled while it is held is held no more", async (world) => {
    await tripped(world, world.worker());
    await world.ledger.steerJob("job", "cancel");
    assert.deepEqual(await held(world, "job"), []);
  });

  test("outcomes of an ended job tell nothing", async (world) => {
    const worker = world.worker();
    const queue = await started(world, worker, "job");
    await world.ledger.steerJob("job", "cancel");
    await worker.tell(queue, "structure-changed", 25);
    assert.deepEqual(await held(world, "job"), []);
    await worker.settle([...worker.held.values()]);
    assert.deepEqual(await types(world), ["job.started", "job.cancelled"]);
  });

  test("what a lane is used to is carried to the scraper's next job", async (world) => {
    const worker = world.worker();
    const run = async (job: string) => {
      const queue = await started(world, worker, job);
      for (let i = 0; i < 60; i++) {
        await worker.tell(queue, "absent", 9);
        await worker.tell(queue, "done", 1);
      }
      await worker.settle([...worker.held.values()]);
      await worker.settle(await worker.take());
      await world.ledger.sealJob(job);
      return await world.ledger.readJob(job);
    };
    assert.equal((await run("first"))?.state, "done");
    const queue = await started(world, worker, "second");
    await worker.tell(queue, "absent", 45);
    assert.deepEqual(await held(world, "second"), [], "forty-five absents are usual here");
    const other = await started(world, worker, "third", "other.test");
    await worker.tell(other, "absent", 45);
    assert.equal((await held(world, "third")).length, 1);
  });
};
