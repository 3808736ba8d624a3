import assert from "node:assert/strict";
import type { Freshness } from "../../domain/job.ts";
import type { FreshNote } from "../ledger.ts";
import { DONE, failed, RETURNED, UNCHANGED, waiting } from "./sim-worker.ts";
import { keysOf, type LedgerTest, SITE, type Kit } from "./test-kit.ts";

export const HOUR = 3_600_000;
export const GOOD: FreshNote = { outcome: "done", freshMs: HOUR, digest: "d1" };
export const SHARED: FreshNote = { ...GOOD, sharedMs: HOUR };
const RECORDS = { blob: "records", offset: 0, length: 9 };

/** A sealed job of one client. */
export const submitFresh = async (
  kit: Kit,
  id: string,
  keys: readonly string[],
  { client = "team", ...freshness }: Freshness & { readonly client?: string } = {},
): Promise<void> => {
  await kit.job(id, keys, { client, freshness });
  await kit.ledger.sealJob(id);
};

/** Runs all that a claim gives of one job to its end. */
export const runFresh = async (kit: Kit, job: string, note: FreshNote = GOOD): Promise<string[]> => {
  const worker = kit.worker();
  const items = await worker.take(100, { jobs: [job] });
  const outcome = note.outcome === "absent" ? ({ state: "absent", detail: "none" } as const) : DONE;
  await worker.settle(items, outcome, { fresh: note, records: RECORDS });
  return items.map(({ key }) => key);
};

export const freshness = (test: LedgerTest): void => {
  test("a page fetched within its window is skipped in the claim, with the data of the other item", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one");
    const source = await kit.item("one", "a");
    await submitFresh(kit, "two", ["a", "b"]);
    assert.deepEqual(await runFresh(kit, "two"), ["b"]);
    const answered = await kit.item("two", "a");
    assert.deepEqual([answered.state, answered.attempts], ["skipped", 0]);
    assert.deepEqual(answered.skipped, { reason: "fresh", from: { job: "one", ...source.ref } });
    assert.deepEqual([answered.records, answered.quality], [RECORDS, "complete"]);
    const { states } = await kit.counts("two");
    assert.deepEqual([states.skipped, states.done, states.queued], [1, 1, 0]);
    assert.equal((await kit.ledger.readJob("two"))!.state, "done");
  });

  test("a job of which every item is fresh ends in the claim, and no slot is spent", async (kit) => {
    const pace = { perSecond: 1, burst: 1, concurrency: 9 };
    await submitFresh(kit, "one", keysOf(250));
    for (let left = 250; left > 0; left -= 100) await runFresh(kit, "one");
    await kit.job("two", keysOf(250), { pace, freshness: {} });
    await kit.ledger.sealJob("two");
    const worker = kit.worker();
    for (let claims = 1; (await kit.ledger.readJob("two"))!.state !== "done"; claims++) {
      const grant = await worker.claim(100, { jobs: ["two"] });
      assert.deepEqual([grant.items.length, grant.slots.length], [0, 0]);
      assert.ok(claims < 10, "a long run of fresh items is passed in a few claims");
      if ((await kit.ledger.readJob("two"))!.state !== "done")
        assert.ok(grant.againInMs! < 100, "and at once");
    }
    assert.equal((await kit.counts("two")).states.skipped, 250);
  });

  test("after its window, or the job's own, it is fetched again", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one");
    kit.pass(HOUR / 2);
    await submitFresh(kit, "short", ["a"], { maxAgeMs: 1000 });
    await submitFresh(kit, "never", ["a"], { maxAgeMs: 0 });
    assert.deepEqual(await runFresh(kit, "short"), ["a"]);
    assert.deepEqual(await runFresh(kit, "never"), ["a"]);
    kit.pass(HOUR);
    await submitFresh(kit, "later", ["a"]);
    assert.deepEqual(await runFresh(kit, "later"), ["a"]);
    kit.pass(2 * HOUR);
    await submitFresh(kit, "patient", ["a"], { maxAgeMs: 24 * HOUR });
    assert.deepEqual(await runFresh(kit, "patient"), []);
  });

  test("a job without freshness neither uses nor stores answers", async (kit) => {
    await kit.job("plain", ["a"]);
    await runFresh(kit, "plain");
    await submitFresh(kit, "one", ["a"]);
    assert.deepEqual(await runFresh(kit, "one"), ["a"]);
    await kit.job("again", ["a"]);
    assert.deepEqual(await runFresh(kit, "again"), ["a"]);
  });

  test("another client gets only shareable answers, while they may be shared", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one", GOOD);
    await submitFresh(kit, "other", ["a"], { client: "other" });
    assert.deepEqual(await runFresh(kit, "other", { ...SHARED, sharedMs: 1000 }), ["a"]);
    await submitFresh(kit, "third", ["a"], { client: "third", maxAgeMs: 24 * HOUR });
    assert.deepEqual(await runFresh(kit, "third"), []);
    kit.pass(1001);
    await submitFresh(kit, "fourth", ["a"], { client: "fourth", maxAgeMs: 24 * HOUR });
    assert.deepEqual(await runFresh(kit, "fourth"), ["a"]);
  });

  test("if two jobs have the same key in one claim, one item is claimed and the other waits for it", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await submitFresh(kit, "two", ["a", "b"], { client: "other" });
    const worker = kit.worker();
    const items = await worker.take(10);
    assert.deepEqual(items.map(({ key }) => key).toSorted(), ["a", "b"]);
    await worker.settle(items, DONE, { fresh: SHARED, records: RECORDS });
    const left = await worker.take(10);
    assert.deepEqual(left, [], "it is answered");
    const states = await Promise.all(["one", "two"].map((job) => kit.item(job, "a")));
    assert.deepEqual(states.map(({ state }) => state).toSorted(), ["done", "skipped"]);
  });

  test("a page that two jobs of a client fetch and settle together is new once", async (kit) => {
    await submitFresh(kit, "one", ["a"], { maxAgeMs: 0 });
    await submitFresh(kit, "two", ["a"], { maxAgeMs: 0 });
    const worker = kit.worker();
    await worker.settle(await worker.take(10), DONE, { fresh: GOOD, records: RECORDS });
    const items = await Promise.all(["one", "two"].map((job) => kit.item(job, "a")));
    assert.deepEqual(new Set(items.map(({ change }) => change)), new Set(["new", "unchanged"]));
  });

  test("other versions and other scrapers do not get the answer", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one", SHARED);
    for (const own of [{ version: "v2" }, { scraper: "other" }, { extracts: false }]) {
      const id = Object.keys(own)[0]!;
      await kit.job(id, ["a"], { ...own, freshness: {} });
      assert.deepEqual(await runFresh(kit, id), ["a"], id);
    }
  });

  test("a failure answers its own client for a while, never another, and never the item itself", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    const worker = kit.worker();
    const note: FreshNote = { outcome: "blocked", freshMs: 1000, sharedMs: 1000 };
    await worker.settle(await worker.take(), failed("blocked"), { fresh: note });
    await submitFresh(kit, "two", ["a"]);
    assert.deepEqual(await runFresh(kit, "two"), []);
    assert.deepEqual((await kit.item("two", "a")).failure?.kind, "blocked");
    await submitFresh(kit, "other", ["a"], { client: "other" });
    assert.deepEqual(await runFresh(kit, "other"), ["a"]);
    await kit.ledger.retryItems("one", {});
    assert.deepEqual(await runFresh(kit, "one"), ["a"]);
    await submitFresh(kit, "three", ["a"]);
    assert.deepEqual(await runFresh(kit, "three"), []);
    assert.equal((await kit.item("three", "a")).failure, undefined, "the good answer came after it");
  });

  test("an item that another job is fetching waits, and is skipped when that is done", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await submitFresh(kit, "two", ["a"], { client: "other" });
    const leader = kit.worker();
    const items = await leader.take(100, { jobs: ["one"] });
    const follower = kit.worker("w2");
    assert.deepEqual(await follower.takeKeys(100, { jobs: ["two"] }), []);
    assert.equal((await kit.counts("two")).states.waiting, 1);
    await leader.settle(items, DONE, { fresh: SHARED });
    assert.deepEqual(await follower.takeKeys(100, { jobs: ["two"] }), []);
    assert.equal((await kit.item("two", "a")).skipped?.reason, "fresh");
    const { states } = await kit.counts("two");
    assert.deepEqual([states.waiting, states.skipped], [0, 1]);
  });

  const ends: Readonly<Record<string, (kit: Kit) => Promise<void>>> = {
    "failed or waits": async (kit) => {
      const worker = kit.worker();
      await worker.settle([...(await worker.take(100, { jobs: ["one"] }))], waiting(60_000));
    },
    "was given back": async (kit) => {
      const worker = kit.worker();
      const items = await worker.take(100, { jobs: ["one"] });
      await kit.ledger.controlJob("one", "pause");
      await worker.settle(items, RETURNED);
    },
    "was lost with its worker": async (kit) => {
      await kit.worker().take(100, { jobs: ["one"] });
      await kit.ledger.reap({ worker: "w1" });
    },
    "was cancelled": async (kit) => {
      const worker = kit.worker();
      const items = await worker.take(100, { jobs: ["one"] });
      await kit.ledger.controlJob("one", "cancel");
      await worker.settle(items, RETURNED);
    },
    "is not to be shared": async (kit) => void (await runFresh(kit, "one", GOOD)),
  };
  for (const [how, end] of Object.entries(ends))
    test(`a waiting item continues by itself when the other one ${how}`, async (kit) => {
      await submitFresh(kit, "one", ["a"]);
      await submitFresh(kit, "two", ["a"], { client: "other" });
      // The follower comes while the leader is in flight: it is set aside before the leader's end.
      const ledger = kit.ledger;
      let isSetAside = false;
      const follower = kit.worker("w2");
      const claim = ledger.claim.bind(ledger);
      ledger.claim = async (request) => {
        const grant = await claim(request);
        if (!isSetAside && request.worker === "w1") {
          isSetAside = true;
          assert.deepEqual(await follower.takeKeys(100, { jobs: ["two"] }), []);
          assert.equal((await kit.counts("two")).states.waiting, 1);
        }
        return grant;
      };
      await end(kit);
      assert.ok(isSetAside);
      assert.deepEqual(await follower.takeKeys(100, { jobs: ["two"] }), ["a"]);
      const { states } = await kit.counts("two");
      assert.deepEqual([states.waiting, states.leased], [0, 1]);
    });

  test("the last good answer is available for comparison, and a failure does not hide it", async (kit) => {
    const note: FreshNote = { ...SHARED, etag: '"e"', lastModified: "then", url: `http://${SITE}/a` };
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one", note);
    await submitFresh(kit, "two", ["a"], { maxAgeMs: 0 });
    const worker = kit.worker();
    await worker.settle(await worker.take(), failed("blocked"), {
      fresh: { outcome: "blocked", freshMs: HOUR },
    });
    const [own, shared, none] = await kit.ledger.readFresh([
      { client: "team", scraper: "county", key: "a" },
      { client: null, scraper: "county", key: "a" },
      { client: "other", scraper: "county", key: "a" },
    ]);
    const { etag, lastModified, url, digest, outcome, job, version } = own!;
    const seen = { etag, lastModified, url, digest, outcome, job, version };
    assert.deepEqual(seen, {
      etag: '"e"',
      lastModified: "then",
      url: `http://${SITE}/a`,
      digest: "d1",
      outcome: "done",
      job: "one",
      version: "v1",
    });
    assert.deepEqual([shared?.client, none], [null, undefined]);
  });

  test("a suspect stores an answer like any other item", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await kit.worker().take();
    await kit.ledger.reap({ worker: "w1" });
    const alone = kit.worker("w2");
    await alone.settle([(await alone.takeAlone())!], DONE, { fresh: GOOD });
    await submitFresh(kit, "two", ["a"]);
    assert.deepEqual(await runFresh(kit, "two"), []);
  });

  test("an unchanged item has its pages and records like any other, and is fresh again", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one");
    kit.pass(2 * HOUR);
    for (const job of ["two", "three"]) {
      await submitFresh(kit, job, ["a"], { maxAgeMs: 0, onlyChanged: true });
      const worker = kit.worker();
      await worker.settle(await worker.take(), UNCHANGED, { fresh: GOOD, records: RECORDS });
      const item = await kit.item(job, "a");
      assert.deepEqual([item.skipped, item.change], [{ reason: "unchanged" }, "unchanged"]);
      assert.deepEqual([item.state, item.quality, item.records], ["skipped", "complete", RECORDS]);
    }
    await submitFresh(kit, "four", ["a"]);
    assert.deepEqual(await runFresh(kit, "four"), []);
    assert.equal((await kit.item("four", "a")).skipped?.from?.job, "three", "the last one that has them");
  });

  test("a shared page of another client is new to a client that validates it", async (kit) => {
    await submitFresh(kit, "one", ["a"]);
    await runFresh(kit, "one", { ...GOOD, sharedMs: 0 });
    await submitFresh(kit, "two", ["a"], { client: "other", onlyChanged: true });
    assert.deepEqual(await runFresh(kit, "two"), ["a"]);
    assert.equal((await kit.item("two", "a")).change, "new");
    await submitFresh(kit, "three", ["a"], { client: "other" });
    assert.deepEqual(await runFresh(kit, "three"), []);
  });

  test("a job counts new, changed, unchanged and gone items, and a block is none of these", async (kit) => {
    const keys = ["same", "other", "gone", "blocked", "missing"];
    const notes: Readonly<Record<string, FreshNote>> = {
      other: { ...GOOD, digest: "d2" },
      gone: { outcome: "absent", freshMs: HOUR },
      missing: { outcome: "absent", freshMs: HOUR },
    };
    const week = async (id: string, all: readonly string[]) => {
      await submitFresh(kit, id, all, { maxAgeMs: 0 });
      const worker = kit.worker();
      for (const item of await worker.take()) {
        const note = (id === "two" || item.key === "missing" ? notes[item.key] : undefined) ?? GOOD;
        if (id === "two" && item.key === "blocked") await worker.settle([item], failed("blocked"));
        else if (note.outcome === "absent")
          await worker.settle([item], { state: "absent", detail: "none" }, { fresh: note });
        else await worker.settle([item], DONE, { fresh: note });
      }
      return (await kit.ledger.readJob(id))!.changes;
    };
    assert.deepEqual(await week("one", keys), { new: 4, changed: 0, unchanged: 0, gone: 0 });
    assert.deepEqual(await week("two", [...keys, "fresh"]), { new: 1, changed: 1, unchanged: 1, gone: 1 });
    const changes = (await kit.items("two")).map(({ key, change }) => [key, change]);
    assert.deepEqual(Object.fromEntries(changes), {
      same: "unchanged",
      other: "changed",
      gone: "gone",
      blocked: undefined,
      missing: undefined,
      fresh: "new",
    });
  });
};
