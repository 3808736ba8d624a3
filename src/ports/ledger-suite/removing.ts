import assert from "node:assert/strict";
import type { CaptureRef } from "../../domain/capture.ts";
import type { StoredObject } from "../removals.ts";
import { GOOD, HOUR, submitFresh } from "./freshness.ts";
import { DONE, failed } from "./sim-worker.ts";
import { code, keysOf, type LedgerTest, planned, type Kit } from "./test-kit.ts";

const blobOf = (job: string, what = "captures"): string => `jobs/${job}/${what}/one.warc.gz`;

const capture = (job: string): CaptureRef => ({
  name: "page",
  url: "https://site.test/",
  mediaType: "text/html",
  digest: "sha256:00",
  blob: blobOf(job),
  offset: 0,
  length: 10,
});

/** A job whose items are done, each with a capture and records of its own. */
const doneJob = async (kit: Kit, job: string, keys = ["a", "b"], freshness = {}): Promise<void> => {
  const worker = kit.worker();
  await submitFresh(kit, job, keys, freshness);
  await kit.ledger.sealJob(job);
  const records = { blob: `jobs/${job}/records/one.jsonl`, offset: 0, length: 5 };
  for (let items = await worker.take(100, { jobs: [job] }); items.length > 0;) {
    await worker.settle(items, DONE, { captures: [capture(job)], records, fresh: GOOD });
    items = await worker.take(100, { jobs: [job] });
  }
};

const object = (name: string): StoredObject => ({ name, size: 7 });

/** The ledger's part to the bytes, these objects, and the rest; answers what could be deleted. */
const remove = async (kit: Kit, job: string, names: readonly string[]): Promise<readonly string[]> => {
  const { removals } = kit.ledger;
  let next = await removals.advance(job);
  while (next === "ledger") next = await removals.advance(job);
  const free = await removals.release(job, names.map(object));
  await removals.endBytes(job, (await removals.read(job))!.what);
  do next = await removals.advance(job);
  while (next === "ledger");
  assert.equal(next, "nothing");
  return free.map(({ name }) => name);
};

export const removing = (test: LedgerTest): void => {
  test("a removed job cannot be read once it is marked, and its remaining record says what was removed", async (kit) => {
    const { ledger } = kit;
    await doneJob(kit, "one");
    kit.pass(1000);
    const marked = await ledger.removals.mark("one", "job");
    assert.equal(marked.isComplete, false);
    assert.equal(await ledger.readJob("one"), undefined);
    assert.deepEqual(await ledger.listJobs(), []);
    for (const verb of [
      () => ledger.listItems("one", { limit: 1 }),
      () => ledger.retryItems("one", {}),
      () => ledger.controlJob("one", "resume"),
      () => ledger.addItems("one", planned(["z"]), []),
    ])
      await assert.rejects(verb, code("job-removed"));
    assert.deepEqual(await remove(kit, "one", [blobOf("one")]), [blobOf("one")]);
    const removal = await ledger.removals.read("one");
    assert.deepEqual(removal, {
      job: "one",
      client: "team",
      scraper: "county",
      what: "job",
      createdAt: marked.createdAt,
      endedAt: marked.endedAt,
      removedAt: kit.nowMs,
      isComplete: true,
      removed: { items: 2, captures: 2, bytes: 7 },
      kept: { objects: 0, bytes: 0 },
    });
    assert.deepEqual(await ledger.removals.mark("one", "job"), removal, "marked again, it is as it was");
    assert.deepEqual(await ledger.removals.mark("one", "pages"), removal);
    assert.deepEqual(await ledger.removals.list({ limit: 9 }), [removal]);
    assert.deepEqual(await ledger.removals.open(9), []);
    const { "removed jobs": jobs, "removed items": items } = await ledger.readWorkSums();
    assert.deepEqual([jobs, items], [1, 2]);
    await assert.rejects(kit.job("one", ["a"]), code("job-exists"));
  });

  test("a job that has not ended, or whose items are leased, is not removed", async (kit) => {
    const { ledger } = kit;
    await kit.job("one", ["a", "b"]);
    const mark = () => ledger.removals.mark("one", "job");
    await assert.rejects(mark, code("job-running"));
    await ledger.controlJob("one", "pause");
    await assert.rejects(mark, code("job-running"));
    await assert.rejects(ledger.removals.mark("nobody", "job"), code("no-such-job"));
    await ledger.controlJob("one", "resume");
    const worker = kit.worker();
    const taken = await worker.take(1);
    await ledger.controlJob("one", "cancel");
    await assert.rejects(mark, code("job-running"), "its worker may still be asking the site");
    await worker.settle(taken);
    await worker.pulse();
    await worker.pulse();
    assert.equal((await mark()).job, "one");
  });

  test("captures of a removed job answer no other job, and the ids of its queues are not reused", async (kit) => {
    await doneJob(kit, "one");
    const [before] = await kit.items("one");
    await kit.ledger.removals.mark("one", "job");
    await remove(kit, "one", []);
    const known = await kit.ledger.readFresh([{ client: "team", scraper: "county", key: "a" }]);
    assert.deepEqual(known, [undefined]);
    await submitFresh(kit, "two", ["a"]);
    const [item] = await kit.worker().take();
    assert.equal(item?.key, "a", "it is fetched");
    assert.ok(item.queue > before!.ref.queue);
  });

  test("objects that items of other jobs use are kept until those jobs are removed", async (kit) => {
    const { removals } = kit.ledger;
    await doneJob(kit, "one");
    await doneJob(kit, "two", ["a"]);
    assert.equal((await kit.item("two", "a")).state, "skipped");
    await removals.mark("one", "job");
    const names = [blobOf("one"), `jobs/one/captures/two.warc.gz`, "jobs/one/records/one.jsonl"];
    assert.deepEqual(await remove(kit, "one", names), ["jobs/one/captures/two.warc.gz"]);
    assert.deepEqual((await removals.read("one"))?.kept, { objects: 2, bytes: 14 });
    assert.deepEqual((await kit.item("two", "a")).captures, [capture("one")], "it is read as before");
    assert.deepEqual(await removals.due(9), [], "nothing that pointed there has gone");

    await removals.mark("two", "job");
    await remove(kit, "two", []);
    const [sweep] = await removals.due(9);
    assert.equal(sweep?.job, "one");
    const freed = await removals.freed("one");
    assert.deepEqual(freed, [names[0], names[2]]);
    await removals.forget("one", freed);
    await removals.endSweep(sweep);
    assert.deepEqual((await removals.read("one"))?.kept, { objects: 0, bytes: 0 });
    assert.equal((await removals.read("one"))?.removed.bytes, 21);
    assert.deepEqual(await removals.due(9), []);
    kit.pass(2 * HOUR);
    const late = await removals.due(9);
    assert.deepEqual(
      late.map(({ job }) => job),
      ["one", "two"],
      "once more, for what came late",
    );
    for (const one of late) await removals.endSweep(one);
    assert.deepEqual(await removals.due(9), []);
  });

  test("an unchanged item keeps the captures of the removed job that it uses", async (kit) => {
    const { removals } = kit.ledger;
    await doneJob(kit, "one", ["a"]);
    kit.pass(1000);
    await kit.job("two", ["a"], { freshness: { maxAgeMs: 0 } });
    await kit.ledger.sealJob("two");
    const worker = kit.worker();
    const unchanged = { state: "skipped", reason: "unchanged", quality: "complete" } as const;
    // The site answered that nothing has changed: the item points to the page of the job before.
    await worker.settle(await worker.take(), unchanged, { captures: [capture("one")], fresh: GOOD });
    await removals.mark("one", "job");
    assert.deepEqual(await remove(kit, "one", [blobOf("one")]), []);
    assert.deepEqual((await kit.item("two", "a")).captures, [capture("one")]);
  });

  test("an item that refers to removed captures is fetched", async (kit) => {
    for (const [at, what] of (["job", "pages"] as const).entries()) {
      const [before, after] = [`before-${at}`, `after-${at}`];
      await doneJob(kit, before, ["a"]);
      kit.pass(1000);
      await kit.job(after, ["a"], { freshness: { maxAgeMs: 0 } });
      await kit.ledger.sealJob(after);
      const worker = kit.worker();
      const [item] = await worker.take();
      const attempt = { startedAt: kit.nowMs, ms: 5, requests: 1, bytes: 100 };
      await kit.ledger.removals.mark(before, what);
      await remove(kit, before, [blobOf(before)]);
      await worker.settle([item!], DONE, { attempt, captures: [capture(before)], fresh: GOOD });
      assert.equal((await kit.item(after, "a")).state, "queued");
      const [again] = await worker.take();
      assert.equal(again?.attempt, item?.attempt, "no attempt is lost by it");
      await worker.settle([again!], DONE, { captures: [capture(after)] });
      const view = (await kit.ledger.readJob(after))!;
      assert.deepEqual([view.state, view.requests, view.counts.states.done], ["done", 2, 1]);
    }
  });

  test("a job without its pages keeps records and counts, and accepts nothing during the removal", async (kit) => {
    const { ledger } = kit;
    const worker = kit.worker();
    await kit.job("one", ["a", "b"]);
    await ledger.sealJob("one");
    const [done, broken] = await worker.take();
    const records = { blob: "jobs/one/records/one.jsonl", offset: 0, length: 5 };
    await worker.settle([done!], DONE, { captures: [capture("one")], records });
    await worker.settle([broken!], failed("structure-changed"), { captures: [capture("one")] });
    const { counts } = (await ledger.readJob("one"))!;
    kit.pass(1000);
    await ledger.removals.mark("one", "pages");
    assert.deepEqual((await kit.item("one", "a")).captures, [], "hidden at once");
    await assert.rejects(ledger.retryItems("one", {}), code("job-ended"));
    assert.deepEqual(await remove(kit, "one", [blobOf("one")]), [blobOf("one")]);
    const item = await kit.item("one", "a");
    assert.deepEqual([item.captures, item.records], [[], records]);
    const view = await ledger.readJob("one");
    assert.deepEqual(view?.counts, counts);
    assert.deepEqual(view.pagesRemoved, { at: kit.nowMs, captures: 2, bytes: 7 });
    assert.equal((await ledger.removals.mark("one", "pages")).isComplete, true, "nothing is left to do");

    kit.pass(1000);
    assert.equal(await ledger.retryItems("one", {}), 1);
    await worker.settle(await worker.take(), DONE, { captures: [capture("one")] });
    assert.equal((await kit.item("one", "b")).captures.length, 1, "what comes after that is kept");
    assert.equal((await ledger.removals.mark("one", "pages")).isComplete, false);
    await ledger.removals.mark("one", "job");
    await remove(kit, "one", []);
    assert.deepEqual((await ledger.removals.read("one"))?.removed, { items: 2, captures: 3, bytes: 7 });
  });

  test("objects are counted once, however often they are released", async (kit) => {
    const { removals } = kit.ledger;
    await doneJob(kit, "one");
    await removals.mark("one", "job");
    let next = await removals.advance("one");
    while (next !== "bytes") next = await removals.advance("one");
    await removals.release("one", [object("jobs/one/a"), object("jobs/one/b")]);
    const again = await removals.release("one", [object("jobs/one/b"), object("jobs/one/c")]);
    assert.deepEqual(again, [object("jobs/one/b"), object("jobs/one/c")], "a crash may have left it there");
    assert.equal((await removals.read("one"))?.removed.bytes, 21);
  });

  test("a removed job's folder is checked again after an hour, also when the clock is set back", async (kit) => {
    const { removals } = kit.ledger;
    const worker = kit.worker("clock");
    await doneJob(kit, "one");
    await removals.mark("one", "job");
    await remove(kit, "one", []);
    kit.setClock(-24 * HOUR);
    await worker.take();
    kit.pass(2 * HOUR);
    assert.deepEqual(
      (await removals.due(9)).map(({ job }) => job),
      ["one"],
    );
  });

  test("two processes may remove the same job", async (kit) => {
    const other = await kit.another();
    await doneJob(kit, "one", keysOf(600));
    await kit.ledger.removals.mark("one", "job");
    const run = async ({ removals } = kit.ledger): Promise<void> => {
      for (;;) {
        const next = await removals.advance("one");
        if (next === "nothing") return;
        if (next === "bytes") await removals.endBytes("one", "job");
      }
    };
    await Promise.all([run(), run(other)]);
    assert.deepEqual((await other.removals.read("one"))?.removed, { items: 600, captures: 600, bytes: 0 });
  });
};
