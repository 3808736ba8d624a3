import assert from "node:assert/strict";
import type { CollectorKind } from "../../domain/job-version.ts";
import type { JobSpec } from "../../domain/job.ts";
import { RETURNED } from "./sim-worker.ts";
import { workerInfo, jobSpec, keysOf, type LedgerTest, planned, SITE, UNPACED } from "./test-kit.ts";

const PACE = { ...UNPACED, concurrency: 10 };

/** A job with a scraper of each of these kinds; of the first are its inputs. */
const ofKinds = (...kinds: CollectorKind[]): Pick<JobSpec, "scrapers"> => {
  const [root] = jobSpec("any", { pace: PACE }).scrapers;
  return { scrapers: kinds.map((kind) => ({ ...root!, kind })) };
};

export const kinds = (test: LedgerTest): void => {
  test("a worker of some kinds gets items of jobs that need no other kind", async (kit) => {
    await kit.job("plain", ["p"]);
    await kit.job("pages", ["b"], ofKinds("browser"));
    await kit.job("both", ["m"], ofKinds("http", "browser"));
    const worker = kit.worker();
    const seen = async (...taken: CollectorKind[]): Promise<string[]> => {
      const items = await worker.take(100, { kinds: taken });
      await worker.settle(items, RETURNED);
      return items.map(({ key }) => key).toSorted();
    };
    assert.deepEqual(await seen("http"), ["p"]);
    assert.deepEqual(await seen("browser"), ["b"]);
    assert.deepEqual(await seen("browser", "http"), ["b", "m", "p"]);
    assert.deepEqual(await seen("recording"), []);
    assert.deepEqual(await seen(), []);
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["b", "m", "p"]);
  });

  test("what was learned from items of `auto` scrapers is shared by all workers, and shown with the job", async (kit) => {
    await kit.job("any", ["a", "b"], ofKinds("auto"));
    const [one, other] = [kit.worker(), kit.worker()];
    await one.claim();
    await other.claim();
    const { version } = ofKinds("auto").scrapers[0]!;
    const of = { lane: SITE, key: `${version} ${SITE}/parcel` };
    const scripted = { ...of, saw: { saw: "scripted", reason: "fields are missing" } } as const;
    const told = await one.pulse({ ways: [scripted, scripted] });
    assert.deepEqual(
      told.ways?.map(({ key, state }) => [key, state.way, state.scripted]),
      [[of.key, "http", 2]],
    );
    assert.deepEqual((await kit.ledger.readJob("any"))?.ways?.length, 1);
    const decided = await other.pulse({ ways: [scripted] });
    assert.equal(decided.ways?.[0]?.state.way, "browser");
    assert.deepEqual((await kit.ledger.readJob("any"))?.ways, [
      {
        lane: SITE,
        scraper: ofKinds("auto").scrapers[0]!.name,
        template: `${SITE}/parcel`,
        way: "browser",
        reason: "fields are missing",
      },
    ]);
    // A worker that reports nothing about it gets no answer about it.
    assert.equal((await one.pulse()).ways, undefined);
    // A lane remembers a few kinds of pages: those that were heard of last.
    const many = Array.from({ length: 30 }, (_, n) => ({
      ...of,
      key: `${version} /${n}`,
      saw: { saw: "plain" } as const,
    }));
    await one.pulse({ ways: many });
    const kept = (await kit.ledger.readJob("any"))?.ways?.map(({ template }) => template);
    assert.deepEqual([kept?.length, kept?.at(-1), kept?.includes(`${SITE}/parcel`)], [20, "/29", false]);
    await kit.ledger.controlLane(SITE, { isReset: true });
    assert.deepEqual((await kit.ledger.readJob("any"))?.ways, []);
  });

  test("a worker for which no job exists has nothing to wait for", async (kit) => {
    await kit.job("plain", keysOf(3), { pace: { perSecond: 1, burst: 1, concurrency: 9 } });
    const grant = await kit.worker().claim(100, { kinds: ["browser"] });
    assert.deepEqual([grant.items, grant.slots, grant.againInMs], [[], [], undefined]);
  });

  test("many lanes of other kinds do not delay a claim", async (kit) => {
    await kit.job("plain", []);
    const items = Array.from({ length: 1500 }, (_, n) => planned([`k${n}`], `h${n}.test`));
    await kit.ledger.addItems("plain", items.flat(), []);
    kit.pass(10);
    await kit.job("pages", ["b"], ofKinds("browser"));
    assert.deepEqual(await kit.worker().takeKeys(100, { kinds: ["browser"] }), ["b"]);
  });

  test("a lane's places are divided among the workers that take the kind", async (kit) => {
    await kit.job("plain", keysOf(30), { pace: PACE });
    await kit.job("pages", keysOf(30), { lane: "b.test", ...ofKinds("browser") });
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await kit.ledger.registerWorker(workerInfo("w2", { kinds: ["browser"] }));
    await two.claim(0, { kinds: ["browser"] });
    const lanes = (await one.take(100)).map(({ lane }) => lane);
    assert.equal(lanes.filter((lane) => lane === SITE).length, 10);
    assert.equal(lanes.filter((lane) => lane === "b.test").length, 5);
  });

  test("suspects wait for a process that takes their kind and lane, and only such a worker learns of them", async (kit) => {
    await kit.job("pages", ["b"], ofKinds("browser"));
    await kit.worker("w1").take();
    await kit.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "gone" } });
    const worker = kit.worker("w2");
    const heard = async (...asked: Parameters<typeof worker.claim>) =>
      (await worker.claim(...asked)).suspects;
    assert.equal(await heard(9, { kinds: ["http"] }), 0);
    assert.equal(await heard(9, { lanes: ["other.test"] }), 0);
    assert.equal(await heard(9, { kinds: ["browser"], lanes: [SITE] }), 1);
    const alone = kit.worker("w3");
    assert.deepEqual(await alone.take(1, { alone: true, kinds: ["http"] }), []);
    assert.deepEqual(await alone.takeKeys(1, { alone: true, kinds: ["browser"] }), ["b"]);
  });
};
