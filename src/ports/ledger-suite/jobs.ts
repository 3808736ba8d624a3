import assert from "node:assert/strict";
import { DONE, failed, RETURNED, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, UNPACED, type Kit } from "./test-kit.ts";

/** Those that are not zero. */
const states = async (kit: Kit): Promise<Record<string, number>> =>
  Object.fromEntries(Object.entries((await kit.counts("job")).states).filter(([, count]) => count > 0));

const events = async ({ ledger }: Kit): Promise<string[]> =>
  (await ledger.events.read({ job: "job", limit: 100 })).map(({ type }) => type);

export const jobs = (test: LedgerTest): void => {
  test("a job is read back as it was created, also without a rate or cap", async ({ ledger, nowMs }) => {
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

  test("an unknown job is undefined, and every verb that changes a job reports no-such-job", async ({
    ledger,
  }) => {
    assert.equal(await ledger.readJob("none"), undefined);
    await assert.rejects(() => ledger.addItems("none", planned(["a"]), []), code("no-such-job"));
    await assert.rejects(() => ledger.sealJob("none"), code("no-such-job"));
    await assert.rejects(() => ledger.controlJob("none", "pause"), code("no-such-job"));
    await assert.rejects(() => ledger.retryItems("none", {}), code("no-such-job"));
    await assert.rejects(() => ledger.listItems("none", { limit: 1 }), code("no-such-job"));
    await assert.rejects(() => ledger.listLanes({ job: "none", limit: 200 }), code("no-such-job"));
  });

  test("a second job of the same name is refused, and the first stays as it was", async (kit) => {
    await kit.job("one", ["a"]);
    await assert.rejects(
      () => kit.ledger.createJob(jobSpec("one", { scraper: "other" })),
      code("job-exists"),
    );
    assert.equal((await kit.ledger.readJob("one"))?.spec.scraper, "county");
    assert.equal((await kit.counts("one")).accepted, 1);
  });

  test("a job is done when it is sealed and its last item has ended, whichever comes last", async (kit) => {
    const worker = kit.worker();
    await kit.job("open", ["a"]);
    await worker.settle(await worker.take());
    assert.equal((await kit.ledger.readJob("open"))?.state, "loading");
    await kit.ledger.sealJob("open");
    assert.equal((await kit.ledger.readJob("open"))?.state, "done");

    await kit.job("sealed", ["a", "b"]);
    await kit.ledger.sealJob("sealed");
    const [first, second] = await worker.take();
    assert.ok(first && second);
    await worker.settle([first]);
    assert.equal((await kit.ledger.readJob("sealed"))?.state, "running");
    kit.pass(5);
    await worker.settle([second], { state: "absent", detail: "none" });
    const view = await kit.ledger.readJob("sealed");
    assert.equal(view?.state, "done");
    assert.equal(view?.endedAt, kit.nowMs);

    await kit.job("empty", []);
    await kit.ledger.sealJob("empty");
    assert.equal((await kit.ledger.readJob("empty"))?.state, "done");
  });

  test("a waiting item keeps its job from being done", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    await kit.ledger.sealJob("job");
    await worker.settle(await worker.take(), waiting(1000));
    assert.equal((await kit.ledger.readJob("job"))?.state, "running");
    kit.pass(1000);
    await worker.settle(await worker.take());
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
  });

  test("an ended job takes no inputs and cannot be paused", async (kit) => {
    await kit.job("done", []);
    await kit.ledger.sealJob("done");
    await kit.job("cancelled", ["a"]);
    await kit.ledger.controlJob("cancelled", "cancel");
    for (const id of ["done", "cancelled"]) {
      await assert.rejects(() => kit.ledger.addItems(id, planned(["b"]), []), code("job-ended"), id);
      await assert.rejects(() => kit.ledger.controlJob(id, "pause"), code("job-ended"), id);
    }
    await assert.rejects(() => kit.ledger.controlJob("cancelled", "resume"), code("job-ended"));
    await assert.rejects(() => kit.ledger.retryItems("cancelled", {}), code("job-ended"));
    assert.equal((await kit.counts("cancelled")).accepted, 1);
  });

  test("a paused job has its reason and time, and no other job does", async (kit) => {
    const pauseOf = async () => (await kit.ledger.readJob("job"))?.paused;
    await kit.job("job", ["a"]);
    assert.equal(await pauseOf(), undefined);
    await kit.ledger.controlJob("job", "pause");
    const at = kit.nowMs;
    assert.deepEqual(await pauseOf(), { cause: "asked", reason: "asked for", at });
    kit.pass(1000);
    const why = { cause: "scraper", reason: "its file is gone" } as const;
    await kit.ledger.controlJob("job", "pause", why);
    assert.equal((await pauseOf())?.at, at, "it was paused before");
    await kit.ledger.controlJob("job", "resume");
    assert.equal(await pauseOf(), undefined);
    await kit.ledger.controlJob("job", "pause", why);
    assert.deepEqual(await pauseOf(), { ...why, at: kit.nowMs });
    assert.deepEqual((await kit.ledger.events.read({ limit: 100 })).at(-1)?.facts, why);
    await kit.ledger.controlJob("job", "cancel");
    assert.equal(await pauseOf(), undefined);
  });

  test("pause stops the claims, resume goes on where the job was", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a", "b"]);
    await kit.ledger.controlJob("job", "pause");
    assert.equal((await kit.ledger.readJob("job"))?.state, "paused");
    await kit.ledger.addItems("job", planned(["c"], "new.test"), []);
    assert.deepEqual(await worker.takeKeys(), []);
    await kit.ledger.controlJob("job", "resume");
    assert.equal((await kit.ledger.readJob("job"))?.state, "loading");
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["a", "b", "c"]);
    await kit.ledger.sealJob("job");
    await kit.ledger.controlJob("job", "pause");
    await kit.ledger.controlJob("job", "resume");
    assert.equal((await kit.ledger.readJob("job"))?.state, "running");
  });

  test("cancel ends every open item that is not leased; leased items end normally, and their cost counts", async (kit) => {
    const [worker, lost] = [kit.worker("w1"), kit.worker("w2")];
    await kit.job("job", keysOf(12));
    const items = await worker.take(6);
    await worker.settle([items[0]!]);
    await worker.settle([items[1]!], waiting(1000));
    const held = await lost.take(2);
    await lost.pulse({ unsettled: [{ queue: held[0]!.queue, requests: 3, bytes: 70 }] });
    await kit.ledger.controlJob("job", "cancel");
    assert.deepEqual(await events(kit), ["job.started"], "it has not ended");
    assert.deepEqual(await states(kit), { leased: 6, done: 1, cancelled: 5 });
    assert.equal((await kit.items("job", { states: ["leased"] })).length, 6);
    const child = planned(["found"]);
    const attempt = { startedAt: 1, ms: 2, requests: 2, bytes: 50 };
    const { refused } = await worker.settle([items[2]!], DONE, { attempt, emitted: child });
    assert.deepEqual(refused, []);
    await worker.settle([items[3]!], waiting(1000), { attempt });
    await worker.settle([items[4]!], RETURNED, { attempt });
    await worker.settle([items[5]!], failed("too-large"), { attempt });
    assert.deepEqual(await states(kit), { leased: 2, done: 2, failed: 1, cancelled: 7 });
    assert.equal((await kit.ledger.readJob("job"))?.endedAt, undefined);
    await kit.ledger.reap({ worker: "w2" });
    assert.deepEqual(await states(kit), { done: 2, failed: 1, cancelled: 9 });
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.endedAt, view?.counts.capped], ["cancelled", kit.nowMs, 1]);
    // 1 and 1 as the sim settles, then 4 × 2, and what the lost worker had told of.
    assert.deepEqual([view?.requests, view?.bytes], [2 + 8 + 3, 200 + 200 + 70]);
    assert.deepEqual(await events(kit), ["job.started", "item.failed", "job.cancelled"]);
    const listed = (await kit.items("job", { states: ["cancelled"] })).map((item) => item.key);
    assert.equal(listed.length, 9);
    kit.pass(2000);
    assert.deepEqual(await worker.takeKeys(), []);
    assert.equal((await kit.worker("alone").claim(1, { alone: true })).suspects, 0);
  });

  test("the cost of a lost worker's items that were settled after its last pulse is not counted twice", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(4));
    const items = await worker.take(3);
    await worker.pulse({ unsettled: [{ queue: items[0]!.queue, requests: 3, bytes: 300 }] });
    await worker.settle(items.slice(0, 2));
    await kit.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "gone" } });
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.requests, view?.bytes], [3, 300]);
  });

  test("a job has the sums of its attempts", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(5), { fields: ["owner", "value"] });
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
    const view = await kit.ledger.readJob("job");
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
