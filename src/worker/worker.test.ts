import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { WorkerKit } from "../../test/worker-kit.ts";
import { answer, type Handler } from "../collectors/http/testing/test-site.ts";
import { timeCounts } from "../domain/work-sums.ts";
import { BlobError } from "../ports/blobs.ts";
import { LedgerError } from "../ports/ledger.ts";
import { SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";

const paths = (count: number): string[] => Array.from({ length: count }, (_, i) => `/${i}`);

/** Lets requests meet: each is answered a little later. */
class Crowd {
  most = 0;
  #open = 0;
  readonly handler: Handler = (_, response) => {
    this.most = Math.max(this.most, ++this.#open);
    setTimeout(() => {
      this.#open--;
      answer(response, "<p>");
    }, 20);
  };
}

/** Makes request after request: only the storage can end it. */
const endless: Partial<AnyScraper> = {
  limits: { hops: 1_000_000 },
  async collect({ http }) {
    for (;;) await http.get("/more");
  },
};

test("every item of a job is settled once and requested once", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(200), {});
  const { state, counts, requests } = await kit.run();
  assert.deepEqual([state, counts.states.done, requests], ["done", 200, 200]);
  assert.equal(new Set(kit.site.seen.map(({ url }) => url)).size, 201, "200 pages and robots.txt");
});

test("the timings of a worker are in the ledger after its end, and the worker is not", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(20), {});
  await kit.run();
  const { ledger } = kit.storage;
  const sums = await ledger.readWorkSums();
  assert.equal(timeCounts(sums, "lane-wait").count, 21, "20 pages and robots.txt");
  assert.ok(timeCounts(sums, "claim").count > 0);
  assert.ok(timeCounts(sums, "settle").seconds > 0);
  assert.deepEqual(
    [sums["lost workers"], sums["lost leases"], sums["refused settles"]],
    [undefined, undefined, undefined],
  );
  assert.deepEqual(await ledger.listWorkers(), []);
});

test("the lane's concurrency is kept", async () => {
  const crowd = new Crowd();
  await using kit = await WorkerKit.open(crowd.handler);
  await kit.submit(paths(30), { pace: { perSecond: Infinity, concurrency: 3 } });
  await kit.run();
  assert.equal(crowd.most, 3);
});

test("on stop it finishes running items, returns the rest, and leaves nothing leased", async () => {
  const stop = new AbortController();
  const stopped = once(stop.signal, "abort");
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  let begun = 0;
  await kit.submit(paths(20), {
    pace: { perSecond: 4, burst: 1, concurrency: 20 },
    async collect({ input, http, keep }) {
      // On a busy machine the slots of several items may come at the same time.
      if (begun++ > 0) await stopped;
      await http.get("/search");
      keep.page("detail", await http.get((input as { url: string }).url));
    },
  });
  const { counts, state } = await kit.run({
    signal: stop.signal,
    onRequest: ({ pathname }) => {
      if (pathname === "/search") stop.abort();
    },
  });
  assert.ok(begun > 1, "other items were ready to begin");
  assert.deepEqual(
    kit.site.seen.map(({ url }) => url),
    ["/robots.txt", "/search", "/0"],
  );
  assert.deepEqual(
    [state, counts.states.leased, counts.states.done, counts.states.queued],
    ["running", 0, 1, 19],
  );
});

test("when a running job is paused, no request is sent once the worker knows it, and all items are returned", async () => {
  let left = 0;
  let leftWhenHeard: number | undefined;
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(5), endless);
  const { ledger } = kit.storage;
  const view = await kit.run({
    onRequest: () => {
      if (++left === 20) void kit.control("pause");
    },
    ledger: {
      pulse: async (report) => {
        const reply = await ledger.pulse(report);
        if (reply.stopped.length > 0) setImmediate(() => (leftWhenHeard ??= left));
        return reply;
      },
    },
    onSettled: ({ counts }) => counts.states.queued === 5,
  });
  assert.equal(left, leftWhenHeard);
  assert.deepEqual([view.state, view.counts.states.queued], ["paused", 5]);
});

test("items of a cancelled job are dropped and not settled", async () => {
  let left = 0;
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(3), endless);
  const view = await kit.run({
    onRequest: () => {
      if (++left === 10) void kit.control("cancel");
    },
    onSettled: () => true,
  });
  assert.deepEqual([view.state, view.counts.states.cancelled], ["cancelled", 3]);
});

test("a worker that was given up drops its items, and its late settles are refused", async () => {
  let left = 0;
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(3), endless);
  const view = await kit.run({
    onRequest: () => {
      if (++left === 10) void kit.storage.ledger.reap({ worker: "w1" });
    },
    onSettled: () => true,
  });
  assert.deepEqual([view.counts.states.leased, view.counts.states.done], [0, 0]);
  assert.ok((await kit.items()).every(({ attempts }) => attempts === 0));
});

test("a ledger that cannot be written ends the worker with its error, and nothing is lost", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(5), {});
  const full = new LedgerError("no-space", "the disk is full");
  await assert.rejects(
    () => kit.run({ ledger: { settle: () => Promise.reject(full) } }),
    (error) => error === full,
  );
  assert.equal((await kit.job()).counts.states.leased, 0);
  assert.equal((await kit.run()).counts.states.done, 5);
});

test("if pages are collected for a long time, a job still ends, and no place waits for them", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  const { blobs } = kit.storage;
  await kit.submit(paths(1300), {});
  let seenAtFirstPut: number | undefined;
  const { counts } = await kit.run({
    blobs: {
      gatherMs: 2 ** 30,
      put: (name, body) => {
        seenAtFirstPut ??= kit.site.seen.length;
        return blobs.put(name, body);
      },
    },
  });
  assert.equal(counts.states.done, 1300);
  assert.ok(seenAtFirstPut! < 1200, `${seenAtFirstPut} requests before the first put`);
  const objects = await Array.fromAsync(blobs.list("jobs/j1/captures/"));
  assert.ok(objects.length <= 2 * 3, `${objects.length} objects`);
});

test("on stop, collected pages are stored at once", async () => {
  const stop = new AbortController();
  await using kit = await WorkerKit.open((_, response) => {
    answer(response, "<p>");
    stop.abort();
  });
  await kit.submit(paths(3), { pace: { perSecond: 10, burst: 1, concurrency: 1 } });
  const { counts } = await kit.run({ signal: stop.signal, blobs: { gatherMs: 2 ** 30 } });
  assert.deepEqual([counts.states.done, counts.states.leased], [1, 0]);
});

test("in a paced lane, a claim gets items, or is the only empty one before the next that does", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(60), { pace: { perSecond: 20, burst: 1, concurrency: 8 } });
  const { ledger } = kit.storage;
  const claims = { empty: 0, good: 0 };
  const { counts } = await kit.run({
    ledger: {
      claim: async (request) => {
        const grant = await ledger.claim(request);
        claims[grant.items.length === 0 ? "empty" : "good"]++;
        return grant;
      },
    },
  });
  assert.equal(counts.states.done, 60);
  assert.ok(claims.empty <= claims.good, JSON.stringify(claims));
});

test("an archive that cannot be written ends the worker, and its items are tried again as if for the first time", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(5), {});
  const full = new BlobError("no-space", "jobs", "the disk is full");
  await assert.rejects(
    () => kit.run({ blobs: { put: () => Promise.reject(full) } }),
    (error) => error === full,
  );
  const { counts } = await kit.run();
  assert.equal(counts.states.done, 5);
  assert.ok((await kit.items()).every(({ attempts }) => attempts === 1));
});

test("alone, it runs suspects one at a time and nothing else, and ends by itself", async () => {
  const crowd = new Crowd();
  await using kit = await WorkerKit.open(crowd.handler);
  await kit.submit(paths(10), {});
  const { ledger } = kit.storage;
  const { items } = await ledger.claim({ worker: "dead", room: 3, inFlight: new Map() });
  await ledger.reap({ worker: "dead", cause: { blame: "unknown", detail: "killed" } });
  const { counts } = await kit.run({ isAlone: true, onSettled: () => false });
  assert.deepEqual([items.length, counts.states.done, counts.states.queued, crowd.most], [3, 3, 7, 1]);
});

test("a worker that starts under the name of a dead one takes over its items", async () => {
  await using kit = await WorkerKit.open((_, response) => answer(response, "<p>"));
  await kit.submit(paths(3), {});
  const before = new SimWorker("w1", kit.storage.ledger, Date.now);
  await before.take();
  await before.pulse({ running: [] });
  const { counts } = await kit.run({ signal: AbortSignal.timeout(300_000) });
  assert.equal(counts.states.done, 3);
});
