import assert from "node:assert/strict";
import { DONE, failed, waiting } from "./sim-worker.ts";
import { keysOf, type LedgerTest, planned, type Kit } from "./test-kit.ts";

const sumsUp = async (kit: Kit, job: string): Promise<void> => {
  const { received, accepted, folded, rejected, capped, states } = await kit.counts(job);
  assert.equal(received, accepted + folded + rejected + capped);
  const sum = Object.values(states).reduce((a, b) => a + b, 0);
  assert.equal(accepted, sum);
  assert.equal((await kit.items(job)).length, accepted);
};

export const items = (test: LedgerTest): void => {
  test("keys are folded inside a batch, between batches and between lanes", async (kit) => {
    await kit.job("job", []);
    const add = (keys: string[], lane?: string) => kit.ledger.addItems("job", planned(keys, lane), []);
    assert.deepEqual(await add(["a", "b", "a"]), { accepted: 2, folded: 1, capped: 0 });
    assert.deepEqual(await add(["b", "c"]), { accepted: 1, folded: 1, capped: 0 });
    assert.deepEqual(await add(["c", "d"], "other.test"), { accepted: 1, folded: 1, capped: 0 });
    assert.deepEqual((await kit.items("job")).map((item) => item.key).toSorted(), ["a", "b", "c", "d"]);
    await sumsUp(kit, "job");
  });

  test("two jobs can have the same keys", async (kit) => {
    await kit.job("one", ["a"]);
    await kit.job("two", ["a"]);
    assert.deepEqual((await kit.worker().takeKeys()).toSorted(), ["a", "a"]);
  });

  test("keys differ if their texts do, and inputs are returned unchanged", async (kit) => {
    const odd = ["ä", "a\u0308", "A", "a", " a", "", "a\n", "日本", "🜁", "x".repeat(5000), "'; --", "null"];
    await kit.job("job", odd);
    const claimed = await kit.worker().take();
    assert.deepEqual(
      claimed.map((item) => item.key),
      odd,
    );
    for (const { key, input } of claimed) assert.deepEqual(JSON.parse(input), { key });
    assert.deepEqual(
      (await kit.items("job")).map((item) => item.input),
      odd.map((key) => ({ key })),
    );
  });

  test("bad inputs are counted, and the first ones are kept", async (kit) => {
    await kit.job("job", []);
    const bad = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ line: from + i, problem: "no parcel" }));
    await kit.ledger.addItems("job", planned(["a"]), bad(1, 15));
    await kit.ledger.addItems("job", [], bad(16, 500));
    const view = await kit.ledger.readJob("job");
    assert.equal(view?.counts.rejected, 515);
    assert.equal(view?.counts.received, 516);
    assert.deepEqual(view?.rejects[0], { line: 1, problem: "no parcel" });
    assert.deepEqual(view?.rejects[15], { line: 16, problem: "no parcel" });
    assert.ok(view.rejects.length <= 100);
    await sumsUp(kit, "job");
  });

  test("inputs beyond the job's limit are counted, including emitted ones", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", [], { maxItems: 3 });
    const add = (keys: string[]) => kit.ledger.addItems("job", planned(keys), []);
    assert.deepEqual(await add(["a", "b"]), { accepted: 2, folded: 0, capped: 0 });
    const [a, b] = await worker.take();
    assert.ok(a && b);
    await worker.emit(a, planned(["a", "c", "d", "e"]));
    assert.deepEqual(await add(["d", "c", "f"]), { accepted: 0, folded: 2, capped: 1 });
    const counts = await kit.counts("job");
    assert.deepEqual([counts.accepted, counts.folded, counts.capped], [3, 3, 3]);
    await sumsUp(kit, "job");
  });

  test("20,001 items in one batch arrive completely and in order, with duplicates folded", async (kit) => {
    await kit.job("job", []);
    const keys = keysOf(20_001);
    const twice = [...keys.slice(0, 10_000), ...keys.slice(0, 7), ...keys.slice(9_990), "k20000"];
    const reply = await kit.ledger.addItems("job", planned(twice), []);
    assert.deepEqual(reply, { accepted: 20_001, folded: 18, capped: 0 });
    const listed = await kit.items("job", {}, 4000);
    assert.deepEqual(
      listed.map((item) => item.key),
      keys,
    );
    assert.deepEqual(await kit.worker().takeKeys(500), keys.slice(0, 500));
    assert.deepEqual(await kit.ledger.addItems("job", planned(keys.slice(-5000)), []), {
      accepted: 0,
      folded: 5000,
      capped: 0,
    });
    await sumsUp(kit, "job");
  });

  test("two processes that add the same keys at the same time make each item once", async (kit) => {
    await kit.job("job", []);
    const other = await kit.another();
    const keys = keysOf(5000);
    const batches = [keys.slice(0, 3500), keys.toReversed(), keys.slice(1000)];
    const replies = await Promise.all(
      batches.map((batch, i) => (i === 1 ? other : kit.ledger).addItems("job", planned(batch), [])),
    );
    assert.equal(
      replies.reduce((sum, reply) => sum + reply.accepted, 0),
      5000,
    );
    const claimed = await kit.worker().takeKeys(10_000);
    assert.deepEqual(claimed.toSorted(), keys.toSorted());
    await sumsUp(kit, "job");
  });

  test("items that are claimed while their batch is still being added are claimed once", async (kit) => {
    await kit.job("job", []);
    const worker = kit.worker("w1", await kit.another());
    const keys = keysOf(9000);
    let isLoading = true;
    const seen: string[] = [];
    const loading = kit.ledger.addItems("job", planned(keys), []).finally(() => (isLoading = false));
    for (;;) {
      const wasLoading = isLoading;
      const claimed = await worker.take(700);
      seen.push(...claimed.map((item) => item.key));
      await worker.settle(claimed);
      if (!wasLoading && claimed.length === 0) break;
    }
    await loading;
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(seen.toSorted(), keys.toSorted());
    await sumsUp(kit, "job");
  });

  test("emitted items come with the settle of the item that found them, and keep the job open", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["list"]);
    await kit.ledger.sealJob("job");
    const [list] = await worker.take();
    assert.ok(list);
    await worker.emit(list, [...planned(["d1", "d2", "list"]), ...planned(["d3", "d1"], "detail.test")]);
    const view = await kit.ledger.readJob("job");
    assert.equal(view?.state, "running");
    assert.deepEqual([view?.counts.accepted, view?.counts.folded], [4, 2]);
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["d1", "d2", "d3"]);
    await worker.settle([...worker.held.values()]);
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
    await sumsUp(kit, "job");
  });

  test("a refused settle emits nothing", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["list"]);
    const [list] = await worker.take();
    assert.ok(list);
    await worker.settle([list], failed("timeout"));
    assert.equal((await worker.emit(list, planned(["d1"]))).refused.length, 1);
    assert.equal((await kit.counts("job")).received, 1);
  });

  test("a list shows everything that is known about an item", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    const first = { startedAt: kit.nowMs, ms: 40, requests: 1, bytes: 1 };
    await worker.settle(await worker.take(), waiting(500), { attempt: first });
    const between = await kit.item("job", "a");
    assert.equal(between.state, "waiting");
    assert.equal(between.dueInMs, 500);
    assert.equal(between.attempts, 1);
    assert.equal(between.failure?.kind, "timeout");
    assert.equal(between.endedAt, undefined);
    kit.pass(500);
    const capture = {
      name: "detail",
      url: "https://site.test/1",
      mediaType: "text/html",
      digest: "sha256:00",
      blob: "jobs/job/1.warc.gz",
      offset: 7,
      length: 9,
    };
    const records = { blob: "jobs/job/1.jsonl.gz", offset: 0, length: 30 };
    const last = await worker.take();
    assert.equal(last[0]?.attempt, 2);
    await worker.settle(last, { state: "done", quality: "partial" }, { captures: [capture], records });
    const item = await kit.item("job", "a");
    assert.equal(item.state, "done");
    assert.equal(item.quality, "partial");
    assert.equal(item.attempts, 2);
    assert.equal(item.failure, undefined);
    assert.equal(item.endedAt, kit.nowMs);
    assert.deepEqual(item.captures, [capture]);
    assert.deepEqual(item.records, records);
    const failure = { kind: "timeout", detail: "a timeout" };
    const cost = { requests: 1, bytes: 1 };
    assert.deepEqual(item.history, [
      { at: first.startedAt, ms: 40, worker: "w1", failure, ...cost, version: "v1" },
    ]);
    assert.deepEqual(item.lastAttempt, { at: 0, ms: 5, requests: 1, bytes: 100, worker: "w1" });
  });

  test("a list filters by state, kind of failure and quality, and finds the rare one page by page", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(6000));
    const claimed = await worker.take(6000);
    await worker.settle([claimed[5990]!], failed("blocked"));
    await worker.settle([claimed[17]!, claimed[5991]!], failed("timeout"));
    await worker.settle([claimed[20]!], DONE);
    await worker.settle([claimed[5980]!], { state: "done", quality: "partial" });
    const keys = async (query: Parameters<Kit["items"]>[1], limit?: number) =>
      (await kit.items("job", query, limit)).map((item) => item.key);
    assert.deepEqual(await keys({ states: ["failed"] }, 1), ["k17", "k5990", "k5991"]);
    assert.deepEqual(await keys({ kinds: ["blocked"] }), ["k5990"]);
    assert.deepEqual(await keys({ states: ["failed", "done"], kinds: ["timeout"] }), ["k17", "k5991"]);
    assert.deepEqual(await keys({ states: ["done"] }, 3), ["k20", "k5980"]);
    assert.deepEqual(await keys({ quality: "partial" }), ["k5980"]);
    assert.deepEqual(await keys({ quality: "partial", keys: ["k20", "k5980"] }), ["k5980"]);
    assert.deepEqual(await keys({ changes: ["gone"] }), []);
    assert.deepEqual(await keys({ states: ["waiting"] }), []);
    assert.equal((await keys({ states: ["leased"] }, 1000)).length, 5995);
  });

  test("retry queues failed items of the given kinds, as if they had never been tried", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", keysOf(4));
    await kit.ledger.sealJob("job");
    const [a, b, c, d] = await worker.take();
    assert.ok(a && b && c && d);
    await worker.settle([a, b], waiting(0, "blocked"));
    await worker.settle(await worker.take(), failed("blocked"));
    await worker.settle([c], failed("timeout"));
    await worker.settle([d], DONE);
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
    assert.equal(await kit.ledger.retryItems("job", { kinds: ["captcha"] }), 0);
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
    assert.equal(await kit.ledger.retryItems("job", { kinds: ["blocked"] }), 2);
    const view = await kit.ledger.readJob("job");
    assert.equal(view?.state, "running");
    assert.equal(view?.endedAt, undefined);
    assert.deepEqual(
      view?.failures.map(({ kind, count }) => ({ kind, count })),
      [{ kind: "timeout", count: 1 }],
    );
    const again = await worker.take();
    assert.deepEqual(
      again.map((item) => [item.key, item.attempt]),
      [
        ["k0", 1],
        ["k1", 1],
      ],
    );
    await worker.settle(again);
    assert.equal(await kit.ledger.retryItems("job", {}), 1);
    await worker.settle(await worker.take());
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
    await sumsUp(kit, "job");
  });

  test("retried items are due at once, also if others of the lane still wait", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["waits", "fails"]);
    const [waits, fails] = await worker.take();
    assert.ok(waits && fails);
    await worker.settle([waits], waiting(3_600_000));
    await worker.settle([fails], failed("blocked"));
    assert.equal(await kit.ledger.retryItems("job", {}), 1);
    assert.deepEqual(await worker.takeKeys(), ["fails"]);
  });

  test("a waiting item is not claimed before it is due, and the claim says when to ask again", async (kit) => {
    const worker = kit.worker();
    await kit.job("job", ["a"]);
    await worker.settle(await worker.take(), waiting(700, "rate-limited", false));
    assert.equal((await worker.claim()).againInMs, 700);
    kit.pass(699);
    assert.deepEqual(await worker.takeKeys(), []);
    kit.pass(1);
    const [again] = await worker.take();
    assert.deepEqual([again?.key, again?.attempt, again?.throttles], ["a", 1, 1]);
    await worker.settle([again!]);
    assert.equal((await worker.claim()).againInMs, undefined);
  });
};
