import assert from "node:assert/strict";
import type { CollectorKind } from "../../model/collector-kind.ts";
import type { JobSpec } from "../../model/job.ts";
import { RETURNED } from "./sim-worker.ts";
import { card, jobSpec, keysOf, type LedgerTest, planned, SITE, UNPACED } from "./world.ts";

const PACE = { ...UNPACED, concurrency: 10 };

/** A job with a scraper of each of these kinds; of the first are its inputs. */
const ofKinds = (...kinds: CollectorKind[]): Pick<JobSpec, "scrapers"> => {
  const [root] = jobSpec("any", { pace: PACE }).scrapers;
  return { scrapers: kinds.map((kind) => ({ ...root!, kind })) };
};

export const kinds = (test: LedgerTest): void => {
  test("a worker of some kinds gets items of jobs that need no other kind", async (world) => {
    await world.job("plain", ["p"]);
    await world.job("pages", ["b"], ofKinds("browser"));
    await world.job("both", ["m"], ofKinds("http", "browser"));
    const worker = world.worker();
    const seen = async (...taken: CollectorKind[]): Promise<string[]> => {
      const items = await worker.take(100, { kinds: taken });
      await worker.settle(items, RETURNED);
      return items.map(({ key }) => key).toSorted();
    };
    assert.deepEqual(await seen("http"), ["p"]);
    assert.deepEqual(await seen("browser"), ["b"]);
    assert.deepEqual(await seen("browser", "http"), ["b", "m", "p"]);
    assert.deepEqual(await seen("recorded"), []);
    assert.deepEqual(await seen(), []);
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["b", "m", "p"]);
  });

  test("a worker that nothing is for has nothing to wait for", async (world) => {
    await world.job("plain", keysOf(3), { pace: { perSecond: 1, burst: 1, concurrency: 9 } });
    const grant = await world.worker().claim(100, { kinds: ["browser"] });
    assert.deepEqual([grant.items, grant.slots, grant.againInMs], [[], [], undefined]);
  });

  test("any number of lanes of other kinds do not stand in the way", async (world) => {
    await world.job("plain", []);
    const items = Array.from({ length: 1500 }, (_, n) => planned([`k${n}`], `h${n}.test`));
    await world.ledger.addItems("plain", items.flat(), []);
    world.pass(10);
    await world.job("pages", ["b"], ofKinds("browser"));
    assert.deepEqual(await world.worker().takeKeys(100, { kinds: ["browser"] }), ["b"]);
  });

  test("a lane's places are divided among those that take the kind", async (world) => {
    await world.job("plain", keysOf(30), { pace: PACE });
    await world.job("pages", keysOf(30), { lane: "b.test", ...ofKinds("browser") });
    const [one, two] = [world.worker("w1"), world.worker("w2")];
    await world.ledger.registerWorker(card("w2", { kinds: ["browser"] }));
    await two.claim(0, { kinds: ["browser"] });
    const lanes = (await one.take(100)).map(({ lane }) => lane);
    assert.equal(lanes.filter((lane) => lane === SITE).length, 10);
    assert.equal(lanes.filter((lane) => lane === "b.test").length, 5);
  });

  test("suspects wait for a process that takes their kind and lane, and only such a worker hears of them", async (world) => {
    await world.job("pages", ["b"], ofKinds("browser"));
    await world.worker("w1").take();
    await world.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "gone" } });
    const worker = world.worker("w2");
    const heard = async (...asked: Parameters<typeof worker.claim>) =>
      (await worker.claim(...asked)).suspects;
    assert.equal(await heard(9, { kinds: ["http"] }), 0);
    assert.equal(await heard(9, { lanes: ["other.test"] }), 0);
    assert.equal(await heard(9, { kinds: ["browser"], lanes: [SITE] }), 1);
    const alone = world.worker("w3");
    assert.deepEqual(await alone.take(1, { alone: true, kinds: ["http"] }), []);
    assert.deepEqual(await alone.takeKeys(1, { alone: true, kinds: ["browser"] }), ["b"]);
  });
};
