import assert from "node:assert/strict";
import type { JobPins } from "../../domain/job-version.ts";
import type { JobSpec } from "../../domain/job.ts";
import type { AmendedItem } from "../ledger.ts";
import { DONE, failed, failure, UNCHANGED } from "./sim-worker.ts";
import { code, jobSpec, keysOf, type LedgerTest, planned, SITE, type Kit } from "./test-kit.ts";

const FIELDS = { fields: ["name", "tax"], required: ["name"] };

const pins = (version: string, own: Partial<JobSpec> = {}): JobPins => {
  const { scrapers, fields, required, maxDepth } = jobSpec("job", { ...FIELDS, version, ...own });
  return { scrapers, fields, required, maxDepth };
};

const amended = (item: { readonly queue: number; readonly seq: number }, own: Partial<AmendedItem> = {}) => ({
  queue: item.queue,
  seq: item.seq,
  outcome: { state: "done" as const, quality: "complete" as const },
  records: { blob: "new", offset: 0, length: 9 },
  fieldCounts: [],
  emitted: [],
  rejected: [],
  ...own,
});

/** A paused job of three items: one done, one failed, one not begun. */
const begin = async (kit: Kit) => {
  await kit.job("job", ["done", "failed", "queued"], FIELDS);
  await kit.ledger.sealJob("job");
  const worker = kit.worker();
  const [one, two] = await worker.take(2);
  await worker.settle([one!], DONE, { fieldCounts: [1, 0, 0, 0, 0, 0, 1, 0] });
  await worker.settle([two!], failed("structure-changed"));
  await kit.ledger.controlJob("job", "pause");
  return { worker, one: one!, two: two! };
};

export const versions = (test: LedgerTest): void => {
  test("a job is pinned to other versions, and every result says which one made it", async (kit) => {
    const { worker, one, two } = await begin(kit);
    assert.deepEqual(await kit.ledger.pinVersions("job", pins("v2")), { inFlight: 0 });
    const versionOf = async (key: string) => (await kit.item("job", key)).version;
    assert.deepEqual([await versionOf("done"), await versionOf("queued")], ["v1", undefined]);

    await kit.ledger.controlJob("job", "resume");
    const waits = await kit.ledger.readJob("job");
    assert.deepEqual([waits?.state, waits?.paused?.cause], ["paused", "new-version"]);
    assert.deepEqual(await worker.takeKeys(), [], "nothing is fetched before stored pages are read");

    kit.pass(10);
    await kit.ledger.amendItems("job", 1, [amended(one), amended(two)]);
    await kit.ledger.amendItems("job", 1, [], true);
    await kit.ledger.controlJob("job", "resume");
    const [third] = await worker.take();
    assert.deepEqual([third?.key, third?.revision], ["queued", 1]);
    await worker.settle([third!], failed("timeout"));
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.counts.states.done, view?.counts.states.failed], ["done", 2, 1]);
    for (const key of ["done", "failed", "queued"]) assert.equal(await versionOf(key), "v2");
    assert.deepEqual(
      (await kit.item("job", "failed")).history.map(({ version }) => version),
      ["v1"],
    );
    assert.deepEqual(
      (await kit.item("job", "queued")).history.map(({ version }) => version),
      ["v2"],
    );
    assert.deepEqual(view?.spec.earlier, [["v1"]]);
  });

  test("leased items finish with the previous version", async (kit) => {
    await kit.job("job", ["a", "b"], FIELDS);
    const worker = kit.worker();
    const [a] = await worker.take(1);
    await kit.ledger.controlJob("job", "pause");
    assert.deepEqual(await kit.ledger.pinVersions("job", pins("v2")), { inFlight: 1 });
    assert.equal((await kit.ledger.readJob("job"))?.spec.version, "v1");
    await worker.settle([a!]);
    assert.deepEqual(await kit.ledger.pinVersions("job", pins("v2")), { inFlight: 0 });
    assert.equal((await kit.item("job", "a")).version, "v1");
  });

  test("records from stored pages replace the previous ones in every count, once", async (kit) => {
    const { one, two } = await begin(kit);
    await kit.ledger.pinVersions("job", pins("v2", { fields: ["tax", "name", "new"] }));
    const before = await kit.ledger.readJob("job");
    assert.deepEqual(
      before?.fieldCounts,
      [0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
      "counts move with their fields",
    );
    const change = [
      amended(one, { outcome: { state: "done", quality: "partial" }, fieldCounts: [1, 0, -1, 0] }),
      amended(two, { emitted: planned(["found"], "other.test") }),
    ];
    await kit.ledger.amendItems("job", 1, change);
    await kit.ledger.amendItems("job", 1, change);
    const view = (await kit.ledger.readJob("job"))!;
    assert.deepEqual(
      [view.counts.states.done, view.counts.states.failed, view.partial, view.failures, view.counts.accepted],
      [2, 0, 1, [], 4],
    );
    assert.deepEqual(view.fieldCounts.slice(0, 4), [1, 0, 0, 0]);
    const item = await kit.item("job", "failed");
    assert.deepEqual([item.state, item.failure, item.records?.blob], ["done", undefined, "new"]);
  });

  test("an item that still fails has the new reason", async (kit) => {
    const { two } = await begin(kit);
    await kit.ledger.pinVersions("job", pins("v2"));
    const outcome = { state: "failed", failure: failure("scraper-error") } as const;
    await kit.ledger.amendItems("job", 1, [amended(two, { outcome, records: null })]);
    const view = await kit.ledger.readJob("job");
    assert.deepEqual(
      view?.failures.map(({ kind, count }) => [kind, count]),
      [["scraper-error", 1]],
    );
  });

  test("results of another revision, or for a requeued item, change nothing", async (kit) => {
    const { one, two } = await begin(kit);
    await kit.ledger.pinVersions("job", pins("v2"));
    await kit.ledger.amendItems("job", 2, [amended(one)]);
    assert.equal((await kit.item("job", "done")).version, "v1");
    await kit.ledger.retryItems("job", { keys: ["failed"] });
    await kit.ledger.amendItems("job", 1, [amended(two)]);
    const item = await kit.item("job", "failed");
    assert.deepEqual([item.state, item.version], ["queued", "v1"]);
  });

  test("an ended job is read again with another version, and ends again", async (kit) => {
    await kit.job("job", ["a"], FIELDS);
    await kit.ledger.sealJob("job");
    const worker = kit.worker();
    const [a] = await worker.take();
    await worker.settle([a!], failed("structure-changed"));
    await kit.ledger.pinVersions("job", pins("v2"));
    await kit.ledger.amendItems("job", 1, [amended(a!)], true);
    await kit.ledger.controlJob("job", "resume");
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.counts.states.done], ["done", 1]);
    await kit.job("gone", ["a"], FIELDS);
    await kit.ledger.controlJob("gone", "cancel");
    await assert.rejects(kit.ledger.pinVersions("gone", pins("v2")), code("job-ended"));
  });

  test("skipped items stay skipped, with the records of the new version", async (kit) => {
    await kit.job("job", ["a"], FIELDS);
    await kit.ledger.sealJob("job");
    const worker = kit.worker();
    const [a] = await worker.take();
    await worker.settle([a!], UNCHANGED);
    await kit.ledger.pinVersions("job", pins("v2"));
    const outcome = { state: "skipped", quality: "partial" } as const;
    await kit.ledger.amendItems("job", 1, [amended(a!, { outcome })], true);
    const item = await kit.item("job", "a");
    assert.deepEqual(
      [item.state, item.quality, item.version, item.records?.blob],
      ["skipped", "partial", "v2", "new"],
    );
    const view = (await kit.ledger.readJob("job"))!;
    const { done, skipped } = view.counts.states;
    assert.deepEqual([done, skipped, view.partial], [0, 1, 0]);
  });

  test("one stored page may emit more inputs than one transaction takes", async (kit) => {
    const { one } = await begin(kit);
    await kit.ledger.pinVersions("job", pins("v2"));
    const emitted = planned(keysOf(2500), "other.test");
    await kit.ledger.amendItems("job", 1, [amended(one, { emitted })]);
    await kit.ledger.amendItems("job", 1, [amended(one, { emitted })]);
    const { received, accepted } = await kit.counts("job");
    assert.deepEqual([received, accepted], [2503, 2503]);
  });

  test("a job whose pages are being removed, or whose deadline has passed, accepts no new version", async (kit) => {
    const worker = kit.worker();
    const deadlineAt = kit.nowMs + 60_000;
    await kit.job("job", ["a"], { ...FIELDS, deadlineAt });
    await kit.ledger.sealJob("job");
    await worker.settle(await worker.take());
    await kit.ledger.removals.mark("job", "pages");
    await assert.rejects(kit.ledger.pinVersions("job", pins("v2")), code("job-ended"));
    while ((await kit.ledger.removals.advance("job")) !== "nothing")
      await kit.ledger.removals.endBytes("job", "pages");
    kit.pass(60_000);
    await assert.rejects(kit.ledger.pinVersions("job", pins("v2")), code("job-ended"));
    assert.equal((await kit.ledger.readJob("job"))?.state, "done");
  });

  test("raised limits stay, and higher limits of the new version accept capped inputs", async (kit) => {
    const { ledger } = kit;
    await kit.job("job", ["a"], { ...FIELDS, maxDepth: 1, maxItems: 2 });
    const worker = kit.worker();
    const [a] = await worker.take();
    await worker.emit(a!, planned(["b", "c"]));
    assert.equal(await ledger.raiseCaps("job", { maxItems: 3, maxDepth: 5 }), 1);
    await ledger.controlJob("job", "pause");
    await ledger.pinVersions("job", pins("v2", { maxDepth: 2 }));
    const { maxItems, maxDepth } = (await ledger.readJob("job"))!.spec;
    assert.deepEqual([maxItems, maxDepth], [3, 5]);
    await ledger.pinVersions("job", pins("v3", { maxDepth: 9 }));
    assert.equal((await ledger.readJob("job"))!.spec.maxDepth, 9);
  });

  test("a held lane is released, and a version that asks for a lower pace gets it", async (kit) => {
    await kit.job("job", ["a", "b"], FIELDS);
    await kit.ledger.sealJob("job");
    const worker = kit.worker();
    const [a] = await worker.take(1);
    await worker.tell(a!.queue, "structure-changed", 30);
    await worker.settle([a!], failed("structure-changed"));
    assert.equal((await kit.ledger.readJob("job"))?.held.length, 1);
    const pace = { perSecond: 2, burst: 1, concurrency: 1 };
    await kit.ledger.pinVersions("job", pins("v2", { pace }));
    await kit.ledger.amendItems("job", 1, [], true);
    await kit.ledger.controlJob("job", "resume");
    const view = await kit.ledger.readJob("job");
    assert.deepEqual([view?.state, view?.held, view?.spec.pace], ["running", [], pace]);
    assert.deepEqual(await worker.takeKeys(), ["b"]);
    const lanes = await kit.ledger.listLanes({ limit: 10 });
    assert.equal(lanes.find(({ lane }) => lane === SITE)?.perSecond, 2);
  });
};
