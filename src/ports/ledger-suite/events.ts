import assert from "node:assert/strict";
import type { EventLog, EventQuery } from "../event-log.ts";
import { failed, waiting } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, SITE, type Kit } from "./test-kit.ts";

const told = async ({ ledger }: Kit) =>
  (await ledger.events.read({ limit: 100 })).map(({ type, job }) => `${type} ${job}`);

const DAY_MS = 24 * 3_600_000;

export const events = (test: LedgerTest): void => {
  test("the log has the events of jobs, oldest first", async (kit) => {
    const worker = kit.worker();
    await kit.job("a", ["x"]);
    await kit.job("b", ["x"]);
    await kit.ledger.controlJob("a", "pause");
    await kit.ledger.controlJob("a", "pause");
    await kit.ledger.controlJob("a", "resume");
    await kit.ledger.controlJob("b", "cancel");
    await kit.ledger.sealJob("a");
    await worker.settle(await worker.take());
    assert.deepEqual(await told(kit), [
      "job.started a",
      "job.started b",
      "job.paused a",
      "job.resumed a",
      "job.cancelled b",
      "job.completed a",
    ]);
    const read = await kit.ledger.events.read({ limit: 100 });
    assert.deepEqual(
      read.map(({ id }) => id),
      read.map(({ id }) => id).toSorted((a, b) => a - b),
    );
    assert.ok(read.every(({ at }) => at === kit.nowMs));
  });

  test("events are delivered again until the consumer's cursor has passed them, and never after that", async (kit) => {
    for (const id of ["a", "b", "c"]) await kit.job(id, []);
    const { events: log } = kit.ledger;
    const jobsOf = async (of: EventLog, consumer: string) =>
      (await of.read({ consumer, limit: 9 })).map(({ job }) => job);
    const first = await log.read({ consumer: "one", limit: 2 });
    assert.deepEqual(first, await log.read({ consumer: "one", limit: 2 }));
    await log.move("one", first[1]!.id);
    const { events: other } = await kit.another();
    assert.deepEqual(await jobsOf(other, "one"), ["c"]);
    assert.deepEqual(await jobsOf(other, "two"), ["a", "b", "c"], "it has a cursor of its own");
    await log.move("one", first[0]!.id);
    await log.move("one", first[1]!.id);
    assert.deepEqual(await jobsOf(other, "one"), ["c"], "cursors do not move back");
    await other.move("one", await other.last());
    assert.deepEqual(await jobsOf(log, "one"), []);
    await kit.job("d", []);
    assert.deepEqual(await jobsOf(log, "one"), ["d"]);
    await other.forget("one");
    await other.forget("one");
    assert.deepEqual(await jobsOf(log, "one"), ["a", "b", "c", "d"]);
  });

  test("the log is read after an event, of one job, and by type; a new consumer may say where it begins", async (kit) => {
    const { events: log } = kit.ledger;
    assert.equal(await log.last(), 0);
    await kit.job("a", []);
    const begin = await log.last();
    await kit.job("b", []);
    await kit.ledger.controlJob("a", "pause");
    await kit.ledger.controlJob("b", "pause");
    const read = async (query: Omit<EventQuery, "limit">) =>
      (await log.read({ ...query, limit: 9 })).map(({ type, job }) => `${type} ${job}`);
    assert.deepEqual(await read({ after: begin }), ["job.started b", "job.paused a", "job.paused b"]);
    assert.deepEqual(await read({ job: "a" }), ["job.started a", "job.paused a"]);
    assert.deepEqual(await read({ types: ["job.paused"], job: "b" }), ["job.paused b"]);
    assert.deepEqual(await read({ types: ["job.started"] }), ["job.started a", "job.started b"]);
    assert.deepEqual(await read({ types: [] }), []);
    const late = { consumer: "late", after: begin, types: ["job.started"] } as const;
    assert.deepEqual(await read(late), ["job.started b"]);
    await log.move("late", begin + 1);
    assert.deepEqual(await read(late), []);
  });

  test("a waiting consumer gets an event at once, also from another process", async (kit) => {
    const { events: log } = kit.ledger;
    const other = await kit.another();
    assert.equal(await log.await(0, 0), false);
    const heard = [log, other.events].map((each) => each.await(0, 600_000));
    await other.createJob(jobSpec("a"));
    assert.deepEqual(await Promise.all(heard), [true, true]);
    assert.equal(await log.await(0, 0), true);
    assert.equal(await log.await(await log.last(), 0), false);
  });

  test("events are kept for a week, and longer for a consumer that has not read them", async (kit) => {
    const { events: log } = kit.ledger;
    const kept = async () => {
      await kit.ledger.tidy();
      return (await log.read({ limit: 9 })).map(({ job }) => job);
    };
    for (const id of ["a", "b"]) await kit.job(id, []);
    const [a] = await log.read({ limit: 1 });
    kit.pass(7 * DAY_MS - 1);
    const last = await log.last();
    assert.deepEqual(await kept(), ["a", "b"]);
    await log.move("slow", a!.id);
    await log.move("quick", last);
    kit.pass(2);
    assert.deepEqual(await kept(), ["b"]);
    await log.move("slow", last);
    assert.deepEqual(await kept(), []);
    await kit.job("c", []);
    const [next] = await log.read({ consumer: "slow", limit: 9 });
    assert.ok(next && next.id > last, "an id is never used again");
  });

  test("a consumer for which an event has waited for a month is forgotten, one with nothing to read is not", async (kit) => {
    const { events: log } = kit.ledger;
    await kit.job("a", []);
    await log.move("idle", await log.last());
    kit.pass(31 * DAY_MS);
    await kit.ledger.tidy();
    await kit.job("b", []);
    await kit.ledger.tidy();
    const unread = async (consumer: string) => (await log.read({ consumer, limit: 9 })).length;
    await log.move("busy", await log.last());
    await kit.job("c", []);
    assert.deepEqual([await unread("idle"), await unread("busy")], [2, 1]);
    kit.pass(20 * DAY_MS);
    await log.move("busy", await log.last());
    kit.pass(11 * DAY_MS);
    await kit.ledger.tidy();
    await kit.ledger.tidy();
    assert.deepEqual(await log.read({ limit: 9 }), [], "nobody is waited for any more");
    await kit.job("d", []);
    assert.equal(await unread("busy"), 1);
  });

  test("refused calls create no events", async (kit) => {
    await kit.job("a", []);
    await kit.ledger.createJob(jobSpec("a")); // sent again, it is done already
    await assert.rejects(() => kit.ledger.createJob(jobSpec("a", { version: "v2" })), code("job-exists"));
    await assert.rejects(() => kit.ledger.controlJob("none", "pause"), code("no-such-job"));
    assert.deepEqual(await told(kit), ["job.started a"]);
  });

  test("a job that is reopened by a retry completes again", async (kit) => {
    const worker = kit.worker();
    await kit.job("a", keysOf(1));
    await kit.ledger.sealJob("a");
    await worker.settle(await worker.take(), failed("timeout"));
    await kit.ledger.retryItems("a", {});
    await worker.settle(await worker.take());
    assert.deepEqual(await told(kit), [
      "job.started a",
      "item.failed a",
      "job.completed a",
      "job.resumed a",
      "job.completed a",
    ]);
    await assert.rejects(() => kit.ledger.addItems("a", planned(["z"]), []), code("job-ended"));
  });

  test("failed items are reported in groups by their settle, each exactly once", async (kit) => {
    const worker = kit.worker();
    await kit.job("a", keysOf(230));
    await kit.job("b", ["x"], { lane: "b.test" });
    const items = await worker.take(231);
    await worker.settle(items.slice(0, 5), waiting(0));
    await worker.settle(items.slice(5), failed("blocked"));
    await worker.settle(await worker.take(5), failed("timeout"));
    const all = await kit.ledger.events.read({ limit: 100 });
    const facts = all
      .filter(({ type }) => type === "item.failed")
      .map(({ job, facts: own }) => ({ job, ...(own as unknown as FailedFacts) }));
    assert.ok(facts.every(({ items: some }) => some.length <= 100));
    assert.ok(facts.every(({ count, items: some }) => count === some.length));
    const keys = facts.flatMap(({ job, items: some }) => some.map(({ key }) => `${job} ${key}`));
    assert.equal(new Set(keys).size, 231);
    assert.equal(keys.length, 231);
    const { kinds, items: last } = facts.at(-1)!;
    assert.deepEqual(kinds, { timeout: 5 });
    assert.deepEqual([last[0]?.kind, last[0]?.detail], ["timeout", "a timeout"]);
  });

  test("the end of a batch has its own event beside the end of its job", async (kit) => {
    const worker = kit.worker();
    await kit.job("batch", ["x"], { isBatch: true });
    await kit.ledger.sealJob("batch");
    await worker.settle(await worker.take());
    assert.deepEqual(await told(kit), ["job.started batch", "job.completed batch", "batch.completed batch"]);
    const [, , end] = await kit.ledger.events.read({ limit: 9 });
    assert.deepEqual(end?.facts, { done: 1, absent: 0, failed: 0, skipped: 0 });
  });

  test("external events are ordered among the others", async (kit) => {
    await kit.job("a", []);
    await kit.ledger.events.write([
      { type: "job.progress", job: "a", facts: { done: 3 } },
      { type: "job.progress", job: "a", facts: { done: 4 } },
    ]);
    await kit.ledger.events.write([]);
    await kit.ledger.sealJob("a");
    const read = await kit.ledger.events.read({ job: "a", limit: 9 });
    assert.deepEqual(
      read.map(({ type, facts }) => [type, facts["done"]]),
      [
        ["job.started", undefined],
        ["job.progress", 3],
        ["job.progress", 4],
        ["job.completed", 0],
      ],
    );
  });

  test("events of a held lane and a paused job have counts by kind, the time, and three items with their captures", async (kit) => {
    const worker = kit.worker();
    await kit.job("a", keysOf(80));
    const items = await worker.take(60);
    const capture = {
      name: "detail",
      url: "https://site.test/1",
      mediaType: "text/html",
      digest: "sha256:00",
      blob: "jobs/a/1.warc.gz",
      offset: 7,
      length: 9,
    };
    const { queue } = items[0]!;
    await worker.settle(items.slice(0, 10), failed("structure-changed"), { captures: [capture] });
    await worker.settle(items.slice(10, 20), failed("structure-changed"));
    await worker.tell(queue, "structure-changed", 40);
    const [held, paused] = (await kit.ledger.events.read({ limit: 100 })).slice(-2);
    assert.deepEqual([held?.type, paused?.type], ["lane.held", "job.paused"]);
    const evidence = held?.facts["evidence"] as HeldEvidence;
    assert.deepEqual(Object.keys(evidence.counts), ["structure-changed"]);
    assert.ok(evidence.counts["structure-changed"]! > 1);
    assert.equal(evidence.sinceMs, kit.nowMs);
    assert.equal(evidence.examples.length, 3);
    for (const { key, kind, captures } of evidence.examples) {
      assert.ok(items.slice(0, 10).some((item) => item.key === key));
      assert.deepEqual([kind, captures], ["structure-changed", [capture]]);
    }
    assert.deepEqual(paused?.facts["held"], [{ lane: SITE, evidence }]);
    const view = await kit.ledger.readJob("a");
    assert.deepEqual(view?.held[0]?.evidence, evidence);
  });

  test("examples whose captures were not stored when the lane was held are shown once they are", async (kit) => {
    const worker = kit.worker();
    await kit.job("a", keysOf(80));
    const items = await worker.take(60);
    await worker.tell(items[0]!.queue, "blocked", 40);
    const examples = async () => {
      const view = await kit.ledger.readJob("a");
      return (view!.held[0]!.evidence as HeldEvidence).examples.length;
    };
    assert.equal(await examples(), 0);
    await worker.settle(items.slice(0, 20), waiting(1000, "blocked"));
    assert.equal(await examples(), 3);
  });
};

interface FailedFacts {
  readonly count: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly items: readonly { readonly key: string; readonly kind: string; readonly detail: string }[];
}

interface HeldEvidence {
  readonly counts: Readonly<Record<string, number>>;
  readonly sinceMs?: number;
  readonly examples: readonly {
    readonly key: string;
    readonly kind?: string;
    readonly captures: readonly unknown[];
  }[];
}
