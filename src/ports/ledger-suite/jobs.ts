import assert from "node:assert/strict";
import { DONE, failed, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, UNPACED } from "./world.ts";

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
    await assert.rejects(() => ledger.listLanes("none"), code("no-such-job"));
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
    assert.deepEqual((await world.ledger.readEvents(100)).at(-1)?.facts, why);
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

  test("cancel ends every open item, in whatever state, and refuses what was in hand", async (world) => {
    const worker = world.worker();
    await world.job("job", keysOf(6));
    const items = await worker.take(4);
    await worker.settle([items[0]!]);
    await worker.settle([items[1]!], waiting(1000));
    await worker.settle([items[2]!], failed("too-large"));
    await world.ledger.steerJob("job", "cancel");
    assert.equal((await worker.settle([items[3]!])).refused.length, 1);
    const { states } = await world.counts("job");
    assert.deepEqual(states, {
      queued: 0,
      leased: 0,
      waiting: 0,
      done: 1,
      absent: 0,
      failed: 1,
      skipped: 0,
      cancelled: 4,
    });
    const listed = (await world.items("job", { states: ["cancelled"] })).map((item) => item.key);
    assert.deepEqual(listed.toSorted(), ["k1", "k3", "k4", "k5"]);
    world.pass(2000);
    assert.deepEqual(await worker.takeKeys(), []);
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
