import assert from "node:assert/strict";
import { DONE, failed, RETURNED, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, UNPACED, type World } from "./world.ts";

/** Those that are not zero. */
const states = async (world: World): Promise<Record<string, number>> =>
  Object.fromEntries(Object.entries((await world.counts("job")).states).filter(([, count]) => count > 0));

const events = async ({ ledger }: World): Promise<string[]> =>
  (await ledger.events.read({ job: "job", limit: 100 })).map(({ type }) => type);

export const jobs = (test: LedgerTest): void => {
  test("a job is read back as it was given, also where it has no rate and no cap", async ({
    ledger,
    nowMs,
  }) => {
    const paced = jobSpec("paced", {
      pace: { perSecond: 2.5, burst: 3, concurrency: 4 },
      fields: ["owner", "value"],
      required: ["owner"],
      policy: { timeout: { maxAttempts: 9, backoff: { firstMs: 10 } } },
      maxItems: 7,
    });
    const open = jobSpec("open", { pace: UNPACED, maxItems: Infinity });
    await ledger.createJob(paced);
    await ledger.createJob(open);
    const view = await ledger.readJob("paced");
    assert.deepEqual(view?.spec, paced);
    assert.deepEqual(view?.fieldCounts, [0, 0, 0, 0, 0, 0, 0, 0]);
    assert.equal(view?.state, "loading");
    assert.equal(view?.isSealed, false);
    assert.equal(view?.createdAt, nowMs);
    assert.deepEqual((await ledger.readJob("open"))?.spec, open);
    assert.deepEqual(
      (await ledger.listJobs()).map((job) => job.spec.id),
      ["open", "paced"],
    );
  });

  test("an unknown job reads as undefined, and every verb that changes one says no-such-job", async ({
    ledger,
  }) => {
    assert.equal(await ledger.readJob("none"), undefined);
    await assert.rejects(() => ledger.addItems("none", planned(["a"]), []), code("no-such-job"));
    await assert.rejects(() => ledger.sealJob("none"), code("no-such-job"));
    await assert.rejects(() => ledger.steerJob("none", "pause"), code("no-such-job"));
    await assert.rejects(() => ledger.retryItems("none", {}), code("no-such-job"));
    await assert.rejects(() => ledger.listItems("none", { limit: 1 }), code("no-such-job"));
    await assert.rejects(() => ledger.listLanes({ job: "none", limit: 200 }), code("no-such-job"));
  });

  test("a second job of the same name is refused, and the first stays as it was", async (world) => {
    await world.job("one", ["a"]);
    await assert.rejects(
      () => world.ledger.createJob(jobSpec("one", { scraper: "other" })),
      code("job-exists"),
    );
    assert.equal((await world.ledger.readJob("one"))?.spec.scraper, "county");
    assert.equal((await world.counts("one")).accepted, 1);
  });

  test("a job is done when it is sealed and its last item has ended, whichever comes last", async (world) => {
    const worker = world.worker();
    await world.job("open", ["a"]);
    await worker.settle(await worker.take());
    assert.equal((await world.ledger.readJob("open"))?.state, "loading");
    await world.ledger.sealJob("open");
    assert.equal((await world.ledger.readJob("open"))?.state, "done");

    await world.job("sealed", ["a", "b"]);
    await world.ledger.sealJob("sealed");
    const [first, second] = await worker.take();
    assert.ok(first && second);
    await worker.settle([first]);
    assert.equal((await world.ledger.readJob("sealed"))?.state, "running");
    world.pass(5);
    await worker.settle([second], { state: "absent", detail: "none" });
    const view = await world.ledger.readJob("sealed");
    assert.equal(view?.state, "done");
    assert.equal(view?.endedAt, world.nowMs);

    await world.job("empty", []);
    await world.ledger.sealJob("empty");
    assert.equal((await world.ledger.readJob("empty"))?.state, "done");
  });

  test("a waiting item keeps its job from being done", async (world) => {
    const worker = world.worker();
    await world.job("job", ["a"]);
    await world.ledger.sealJob("job");
    await worker.settle(await worker.take(), waiting(1000));
    assert.equal((await world.ledger.readJob("job"))?.state, "running");
    world.pass(1000);
    await worker.settle(await worker.take());
    assert.equal((await world.ledger.readJob("job"))?.state, "done");
  });

  test("an ended job takes no inputs and cannot be paused", async (world) => {
    await world.job("done", []);
    await world.ledger.sealJob("done");
    await world.job("cancelled", ["a"]);
    await world.ledger.steerJob("cancelled", "cancel");
    for (const id of ["done", "cancelled"]) {
      await assert.rejects(() => world.ledger.addItems(id, planned(["b"]), []), code("job-ended"), id);
      await assert.rejects(() => world.ledger.steerJob(id, "pause"), code("job-ended"), id);
    }
    await assert.rejects(() => world.ledger.steerJob("cancelled", "resume"), code("job-ended"));
    await assert.rejects(() => world.ledger.retryItems("cancelled", {}), code("job-ended"));
    assert.equal((await world.counts("cancelled")).accepted, 1);
  });

  test("a paused job tells why and since when, and no other does", async (world) => {
    const pauseOf = async () => (await world.ledger.readJob("job"))?.paused;
    await world.job("job", ["a"]);
    assert.equal(await pauseOf(), undefined);
    await world.ledger.steerJob("job", "pause");
    const at = world.nowMs;
    assert.deepEqual(await pauseOf(), { cause: "asked", reason: "asked for", at });
    world.pass(1000);
    const why = { cause: "scraper", reason: "its file is gone" } as const;
    await world.ledger.steerJob("job", "pause", why);
    assert.equal((await pauseOf())?.at, at, "it was paused before");
    await world.ledger.steerJob("job", "resume");
    assert.equal(await pauseOf(), undefined);
    await world.ledger.steerJob("job", "pause", why);
    assert.deepEqual(await pauseOf(), { ...why, at: world.nowMs });
    assert.deepEqual((await world.ledger.events.read({ limit: 100 })).at(-1)?.facts, why);
    await world.ledger.steerJob("job", "cancel");
    assert.equal(await pauseOf(), undefined);
  });

  test("pause stops the claims, resume goes on where the job was", async (world) => {
    const worker = world.worker();
    await world.job("job", ["a", "b"]);
    await world.ledger.steerJob("job", "pause");
    assert.equal((await world.ledger.readJob("job"))?.state, "paused");
    await world.ledger.addItems("job", planned(["c"], "new.test"), []);
    assert.deepEqual(await worker.takeKeys(), []);
    await world.ledger.steerJob("job", "resume");
    assert.equal((await world.ledger.readJob("job"))?.state, "loading");
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["a", "b", "c"]);
    await world.ledger.sealJob("job");
    await world.ledger.steerJob("job", "pause");
    await world.ledger.steerJob("job", "resume");
    assert.equal((await world.ledger.readJob("job"))?.state, "running");
  });

  test("cancel ends every open item that is not leased; what is leased ends as it does, and is paid for", async (world) => {
    const [worker, lost] = [world.worker("w1"), world.worker("w2")];
    await world.job("job", keysOf(12));
    const items = await worker.take(6);
    await worker.settle([items[0]!]);
    await worker.settle([items[1]!], waiting(1000));
    const held = await lost.take(2);
    await lost.pulse({ unsettled: [{ queue: held[0]!.queue, requests: 3, bytes: 70 }] });
    await world.ledger.steerJob("job", "cancel");
    assert.deepEqual(await events(world), ["job.started"], "it has not ended");
    assert.deepEqual(await states(world), { leased: 6, done: 1, cancelled: 5 });
    assert.equal((await world.items("job", { states: ["leased"] })).length, 6);
    const child = planned(["found"]);
    const attempt = { startedAt: 1, ms: 2, requests: 2, bytes: 50 };
    const { refused } = await worker.settle([items[2]!], DONE, { attempt, emitted: child });
    assert.deepEqual(refused, []);
    await worker.settle([items[3]!], waiting(1000), { attempt });
    await worker.settle([items[4]!], RETURNED, { attempt });
    await worker.settle([items[5]!], failed("too-large"), { attempt });
    assert.deepEqual(await states(world), { leased: 2, done: 2, failed: 1, cancelled: 7 });
    assert.equal((await world.ledger.readJob("job"))?.endedAt, undefined);
    await world.ledger.reap({ worker: "w2" });
    assert.deepEqual(await states(world), { done: 2, failed: 1, cancelled: 9 });
    const view = await world.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.endedAt, view?.counts.capped], ["cancelled", world.nowMs, 1]);
    // 1 and 1 as the sim settles, then 4 × 2, and what the lost worker had told of.
    assert.deepEqual([view?.requests, view?.bytes], [2 + 8 + 3, 200 + 200 + 70]);
    assert.deepEqual(await events(world), ["job.started", "item.failed", "job.cancelled"]);
    const listed = (await world.items("job", { states: ["cancelled"] })).map((item) => item.key);
    assert.equal(listed.length, 9);
    world.pass(2000);
    assert.deepEqual(await worker.takeKeys(), []);
    assert.equal((await world.worker("alone").claim(1, { alone: true })).suspects, 0);
  });

  test("what a lost worker spent on items that were settled after its last pulse is not counted twice", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(4));
    const items = await worker.take(3);
    await worker.pulse({ unsettled: [{ queue: items[0]!.queue, requests: 3, bytes: 300 }] });
    await worker.settle(items.slice(0, 2));
    await world.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "gone" } });
    const view = await world.ledger.readJob("job");
    assert.deepEqual([view?.requests, view?.bytes], [3, 300]);
  });

  test("a job adds up what its attempts brought", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(5), { fields: ["owner", "value"] });
    const [a, b, c, d, e] = await worker.take();
    assert.ok(a && b && c && d && e);
    const attempt = { startedAt: 1, ms: 2, requests: 3, bytes: 50 };
    await worker.settle([a], DONE, { attempt, fieldCounts: [1, 0, 0, 0, 0, 1, 0, 0] });
    await worker.settle(
      [b],
      { state: "done", quality: "partial" },
      { attempt, fieldCounts: [1, 0, 0, 0, 0, 0, 1, 0] },
    );
    await worker.settle([c], waiting(0), { attempt });
    await worker.settle([d], failed("timeout"), { attempt });
    await worker.settle([e], failed("too-large"), { attempt });
    const view = await world.ledger.readJob("job");
    assert.equal(view?.partial, 1);
    assert.equal(view?.requests, 15);
    assert.equal(view?.bytes, 250);
    assert.deepEqual(view?.fieldCounts, [2, 0, 0, 0, 0, 1, 1, 0]);
    assert.deepEqual(view?.attemptFailures, { timeout: 2, "too-large": 1 });
    assert.deepEqual(
      view?.failures.toSorted((x, y) => x.kind.localeCompare(y.kind)),
      [
        { kind: "timeout", count: 1, exampleKey: d.key, exampleDetail: "a timeout" },
        { kind: "too-large", count: 1, exampleKey: e.key, exampleDetail: "a too-large" },
      ],
    );
  });
};
