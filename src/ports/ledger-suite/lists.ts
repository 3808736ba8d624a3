import assert from "node:assert/strict";
import type { JobLane, JobView } from "../../domain/job.ts";
import type { JobQuery } from "../ledger.ts";
import { DONE, failed, UNCHANGED, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, type Kit } from "./test-kit.ts";

const ids = async ({ ledger }: Kit, query: Partial<JobQuery> = {}) =>
  (await ledger.listJobs({ limit: 100, ...query })).map(({ spec }) => spec.id);

const keys = async (kit: Kit, query: Parameters<Kit["items"]>[1], limit?: number) =>
  (await kit.items("job", query, limit)).map(({ key }) => key);

export const lists = (test: LedgerTest): void => {
  test("jobs are listed newest first, by client, state, scraper and label, page by page", async (kit) => {
    const { ledger } = kit;
    await kit.job("a1", ["x"], { client: "a", labels: { team: "tax", run: "1" } });
    await kit.job("a2", [], { client: "a", scraper: "other", labels: { team: "tax", run: "2" } });
    await kit.job("b1", ["x"], { client: "b", labels: { team: "tax" } });
    await kit.job("a3", ["x"], { client: "a" });
    await ledger.sealJob("a2");
    await ledger.controlJob("a3", "pause");
    assert.deepEqual(await ids(kit), ["a3", "b1", "a2", "a1"]);
    assert.deepEqual(await ids(kit, { client: "a" }), ["a3", "a2", "a1"]);
    assert.deepEqual(await ids(kit, { client: "a", limit: 2 }), ["a3", "a2"]);
    assert.deepEqual(await ids(kit, { client: "a", limit: 2, after: "a2" }), ["a1"]);
    assert.deepEqual(await ids(kit, { states: ["done", "paused"] }), ["a3", "a2"]);
    assert.deepEqual(await ids(kit, { states: [] }), []);
    assert.deepEqual(await ids(kit, { scraper: "other" }), ["a2"]);
    assert.deepEqual(await ids(kit, { label: ["team", "tax"] }), ["b1", "a2", "a1"]);
    assert.deepEqual(await ids(kit, { label: ["run", "2"], client: "a" }), ["a2"]);
    assert.deepEqual(await ids(kit, { label: ["run", "2"], client: "b" }), []);
    assert.deepEqual(await ids(kit, { client: "nobody" }), []);
    await kit.job("p1", [], { progressMs: 1000 });
    assert.deepEqual(await ids(kit, { tellsProgress: true }), ["p1"]);
    await ledger.controlJob("p1", "pause", { cause: "scraper", reason: "changed" });
    assert.deepEqual(await ids(kit, { pausedBy: "scraper" }), ["p1"]);
    assert.deepEqual(await ids(kit, { pausedBy: "asked" }), ["a3"]);
    await assert.rejects(() => ledger.listJobs({ limit: 5, after: "none" }), code("no-such-job"));
  });

  test("jobs are listed by the time since they ended", async (kit) => {
    const { ledger } = kit;
    for (const id of ["a", "b", "c"]) await kit.job(id, ["x"]);
    await ledger.sealJob("b");
    const worker = kit.worker();
    await worker.settle(await worker.take(9, { jobs: ["b"] }), failed("timeout"));
    kit.pass(1000);
    await ledger.controlJob("a", "cancel");
    assert.deepEqual(await ids(kit, { endedSince: 0 }), ["b", "a"]);
    assert.deepEqual(await ids(kit, { endedSince: 0, after: "b" }), ["a"]);
    assert.deepEqual(await ids(kit, { endedSince: kit.nowMs }), ["a"]);
    assert.deepEqual(await ids(kit, { endedSince: kit.nowMs + 1 }), []);
    await ledger.retryItems("b", {});
    assert.deepEqual(await ids(kit, { endedSince: 0 }), ["a"]);
  });

  test("every state can be listed, however items reached it, and the sums match", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(40));
    await kit.ledger.addItems("job", planned(keysOf(5, "z"), "b.test"), []);
    const items = await worker.take(20, { lanes: ["site.test"] });
    await worker.settle(items.slice(0, 3), DONE);
    await worker.settle(items.slice(3, 5), { state: "absent", detail: "none" });
    await worker.settle(items.slice(5, 8), failed("timeout"));
    await worker.settle(items.slice(8, 9), UNCHANGED);
    await worker.settle(items.slice(9, 11), waiting(1000));
    await worker.settle(items.slice(11, 13), { state: "returned" });
    await worker.pulse({ running: items.slice(13, 14) });
    await kit.ledger.reap({ worker: "w1" });
    const other = kit.worker("w2");
    const held = await other.take(4, { lanes: ["site.test"] });
    const expected = {
      done: ["k0", "k1", "k2"],
      absent: ["k3", "k4"],
      failed: ["k5", "k6", "k7"],
      skipped: ["k8"],
      waiting: ["k9", "k10"],
    };
    for (const [state, list] of Object.entries(expected))
      for (const limit of [1, 2, 100])
        assert.deepEqual(await keys(kit, { states: [state as keyof typeof expected] }, limit), list, state);
    const leased = await keys(kit, { states: ["leased"] }, 1);
    assert.deepEqual(leased.toSorted(), held.map(({ key }) => key).toSorted());
    const queued = await keys(kit, { states: ["queued"] }, 3);
    const { states } = await kit.counts("job");
    assert.deepEqual([queued.length, new Set(queued).size], [states.queued, states.queued]);
    assert.ok(queued.includes("k13"), "a suspect is queued");
    assert.deepEqual(await keys(kit, { states: ["done", "failed", "waiting"] }, 2), [
      ...expected.done,
      ...expected.failed,
      ...expected.waiting,
    ]);
    assert.equal((await keys(kit, {}, 7)).length, 45);
    await kit.ledger.controlJob("job", "cancel");
    const cancelled = await keys(kit, { states: ["cancelled"] }, 4);
    const ended = 36 - held.length;
    assert.deepEqual([cancelled.length, new Set(cancelled).size], [ended, ended]);
    assert.deepEqual(await keys(kit, { states: ["queued", "waiting"] }), []);
    assert.deepEqual((await keys(kit, { states: ["leased"] })).toSorted(), leased.toSorted());
    assert.deepEqual(await keys(kit, { states: ["failed"] }), expected.failed);
  });

  test("a skipped item says why, and counts as an end", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    await kit.ledger.sealJob("job");
    await worker.settle(await worker.take(), UNCHANGED);
    const item = await kit.item("job", "a");
    assert.deepEqual([item.state, item.skipped?.reason, item.attempts], ["skipped", "unchanged", 1]);
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.counts.states.skipped, view?.requests], ["done", 1, 1]);
  });

  test("items are found by key, in all scrapers and lanes, with the other filters", async (kit) => {
    const worker = kit.worker();
    const [root] = jobSpec("job").scrapers;
    await kit.job("job", keysOf(50), { scrapers: [root!, { ...root!, name: "detail" }] });
    await kit.ledger.addItems("job", [{ key: "k7", input: "{}", lane: "b.test", scraper: 1 }], []);
    const claimed = await worker.take(10, { lanes: ["site.test"] });
    await worker.settle(claimed.slice(7, 8), failed("blocked"));
    const found = async (query: Parameters<Kit["items"]>[1], limit?: number) =>
      (await kit.items("job", query, limit)).map(({ key, scraper, state }) => [key, scraper, state]);
    const seven = [
      ["k7", "county", "failed"],
      ["k7", "detail", "queued"],
    ];
    assert.deepEqual(await found({ keys: ["k7"] }), seven);
    assert.deepEqual(await found({ keys: ["k7", "k7", "none"] }, 1), seven);
    assert.deepEqual(await found({ keys: ["k7"], scraper: "detail" }), seven.slice(1));
    assert.deepEqual(await found({ keys: ["k7", "k8"], states: ["leased"] }), [["k8", "county", "leased"]]);
    assert.deepEqual(await found({ keys: ["k7", "k8"], kinds: ["blocked"] }), seven.slice(0, 1));
    assert.deepEqual(await found({ keys: [] }), []);
  });

  test("a page has as many items as fit its size limit, and all items are found", async (kit) => {
    await kit.job("job", []);
    const large = JSON.stringify({ text: "x".repeat(200_000) });
    const items = keysOf(120).map((key) => ({ key, input: large, lane: "site.test" }));
    await kit.ledger.addItems("job", items, []);
    const first = await kit.ledger.listItems("job", { limit: 1000 });
    assert.ok(first.next && first.items.length < 100, `${first.items.length} items on a page`);
    assert.equal((await kit.items("job", {}, 1000)).length, 120);
    assert.equal((await kit.items("job", { keys: keysOf(120) }, 1000)).length, 120);
    assert.equal((await kit.items("job", { states: ["queued"], scraper: "county" }, 1000)).length, 120);
  });

  test("retry accepts keys, and kinds to filter them", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(6));
    await kit.ledger.sealJob("job");
    const items = await worker.take();
    await worker.settle(items.slice(0, 3), failed("timeout"));
    await worker.settle(items.slice(3, 5), failed("blocked"));
    await worker.settle(items.slice(5), DONE);
    const retry = (filter: Parameters<typeof kit.ledger.retryItems>[1]) =>
      kit.ledger.retryItems("job", filter);
    assert.equal(await retry({ keys: ["none", "k5"] }), 0);
    assert.equal(await retry({ keys: [] }), 0);
    assert.equal(await retry({ keys: ["k0", "k3"], kinds: ["blocked"] }), 1);
    assert.equal(await retry({ keys: ["k1", "k1", "k2"] }), 2);
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["k1", "k2", "k3"]);
    const view = await kit.ledger.readJob("job");
    assert.deepEqual(view?.failures.map(({ kind, count }) => [kind, count]).toSorted(), [
      ["blocked", 1],
      ["timeout", 1],
    ]);
  });

  test("open jobs are summed by state as in their views, without ended jobs", async (kit) => {
    const { ledger } = kit;
    const worker = kit.worker();
    await kit.job("a", keysOf(5), { fields: ["x", "y"] });
    await kit.job("b", keysOf(3), { lane: "b.test" });
    await kit.job("c", keysOf(2), { lane: "c.test" });
    await kit.job("gone", keysOf(2), { lane: "d.test" });
    await ledger.controlJob("gone", "cancel");
    await ledger.controlJob("c", "pause");
    const [one, two] = await worker.take(2, { jobs: ["a"] });
    await worker.settle([one!], DONE, { fieldCounts: [1, 0, 0, 0, 0, 0, 1, 0] });
    await worker.settle([two!], failed("blocked"));
    const { ids: open, sums } = await ledger.sumOpenJobs();
    assert.deepEqual(open.toSorted(), ["a", "b", "c"]);
    const views = await Promise.all(open.map(async (id) => (await ledger.readJob(id))!));
    for (const sum of sums) {
      const mine = views.filter(({ state }) => state === sum.state);
      const total = (of: (view: JobView) => number) => mine.reduce((n, view) => n + of(view), 0);
      assert.equal(sum.jobs, mine.length);
      assert.equal(
        sum.counts.accepted,
        total(({ counts }) => counts.accepted),
      );
      assert.equal(
        sum.counts.states.queued,
        total(({ counts }) => counts.states.queued),
      );
      assert.equal(
        sum.requests,
        total(({ requests }) => requests),
      );
    }
    const loading = sums.find(({ state }) => state === "loading")!;
    assert.deepEqual(loading.fieldCounts, [1, 0, 1, 0]);
    assert.deepEqual(loading.failures, [{ kind: "blocked", count: 1 }]);
    assert.deepEqual([loading.counts.states.done, loading.counts.states.failed], [1, 1]);
  });

  test("the lanes of a job are listed page by page, with what is left of it there and why that waits", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", []);
    for (let n = 0; n < 12; n++)
      await kit.ledger.addItems("job", planned(keysOf(n + 1, `${n}-`), `h${n}.test`), []);
    await kit.job("other", keysOf(5), { lane: "h1.test" });
    await kit.job("elsewhere", ["x"], { lane: "elsewhere.test" });
    const lanesOf = async (isOpen: boolean, limit = 5): Promise<JobLane[]> => {
      const lanes: JobLane[] = [];
      for (let after: string | undefined; ;) {
        const page = await kit.ledger.listJobLanes("job", { isOpen, limit, ...(after && { after }) });
        lanes.push(...page);
        if (page.length < limit) return lanes;
        after = page.at(-1)!.lane;
      }
    };
    const taken = await worker.take(100, { jobs: ["job"] });
    await worker.settle(taken.filter(({ lane }) => lane === "h0.test" || lane === "h2.test"));
    await worker.settle(
      taken.filter(({ lane }) => lane === "h1.test"),
      waiting(1000),
    );
    const held = taken.find(({ lane }) => lane === "h9.test")!;
    await worker.tell(held.queue, "blocked", 20);
    await kit.ledger.controlLane("h8.test", { isHeld: true });
    const open = await lanesOf(true);
    const names = Array.from({ length: 12 }, (_, n) => `h${n}.test`);
    assert.deepEqual(
      open.map(({ lane }) => lane),
      names.filter((name) => name !== "h0.test" && name !== "h2.test"),
    );
    assert.deepEqual(
      (await lanesOf(false)).map(({ lane }) => lane),
      names,
    );
    const [h1, h8, h9] = ["h1.test", "h8.test", "h9.test"].map((name) =>
      open.find(({ lane }) => lane === name),
    );
    assert.deepEqual([h1!.backlog, h1!.inFlight, h1!.waiting], [2, 0, 2]);
    assert.deepEqual([h8!.backlog, h8!.inFlight, h8!.isHeldByOperator, h8!.held], [9, 9, true, undefined]);
    assert.equal(h9!.held?.heldAt, kit.nowMs);
    await assert.rejects(() => kit.ledger.listJobLanes("none", { limit: 5 }), code("no-such-job"));
  });

  test("lanes that are held are found among many, whoever holds them", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", []);
    for (let n = 0; n < 30; n++)
      await kit.ledger.addItems("job", planned(keysOf(3, `${n}-`), `h${10 + n}.test`), []);
    const heldLanes = async (after = "", limit = 50): Promise<string[]> =>
      (await kit.ledger.listLanes({ isHeld: true, after, limit })).map(({ lane }) => lane);
    assert.deepEqual(await heldLanes(), []);
    const taken = await worker.take();
    await worker.tell(taken.find(({ lane }) => lane === "h20.test")!.queue, "blocked", 20);
    await kit.ledger.controlLane("h12.test", { isHeld: true });
    await worker.pulse({
      lanes: [{ lane: "h35.test", kind: "rate-limited", count: 1, retryAfterMs: 60_000 }],
    });
    assert.deepEqual(await heldLanes(), ["h12.test", "h20.test", "h35.test"]);
    assert.deepEqual(await heldLanes("h12.test", 1), ["h20.test"]);
    const [, breaker] = await kit.ledger.listLanes({ isHeld: true, limit: 5 });
    assert.deepEqual([breaker?.heldJobs, breaker?.isHeldByOperator, breaker?.holdMs], [1, false, 0]);
    kit.pass(60_001);
    await kit.ledger.controlLane("h12.test", { isHeld: false });
    assert.deepEqual(await heldLanes(), ["h20.test"]);
    await kit.ledger.controlJob("job", "cancel");
    await worker.settle(taken.filter(({ lane }) => lane === "h20.test"));
    assert.deepEqual(await heldLanes(), [], "nothing of a job that was cancelled waits there");
  });
};
