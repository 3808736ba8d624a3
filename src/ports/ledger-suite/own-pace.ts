import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";
import type { JobSpec } from "../../domain/job.ts";
import { countOf, keepsPace, serveSlots, TEN, WINDOW } from "./slot-watch.ts";
import { jobSpec, keysOf, type Kit, type LedgerTest, planned, SITE, UNPACED } from "./test-kit.ts";

/** A job that has asked for less than its scraper allows. */
const slowerJob = async (
  { ledger }: Kit,
  id: string,
  count: number,
  how: { readonly client: string; readonly pace: Partial<Pace>; readonly sitePace?: Pace },
): Promise<void> => {
  const { client, sitePace = TEN } = how;
  const pace = { ...sitePace, ...how.pace };
  const spec = jobSpec(id, { client, pace });
  const scrapers: JobSpec["scrapers"] = [{ ...spec.scrapers[0]!, sitePace }];
  await ledger.createJob({ ...spec, scrapers });
  await ledger.addItems(id, planned(keysOf(count)), []);
};

const perSecondOf = async ({ ledger }: Kit): Promise<number | undefined> =>
  (await ledger.listLanes({ limit: 1 }))[0]?.perSecond;

/** Slots that the jobs of a lane get in N seconds, by job. */
const slotsOf = async (kit: Kit, seconds: number) => {
  const worker = kit.worker();
  const starts: { readonly job: string; readonly at: number }[] = [];
  for (const endAt = kit.nowMs + seconds * 1000; kit.nowMs < endAt; kit.pass(70)) {
    const { items, slots } = await worker.claim();
    // Slots come in the order of the items: one each.
    const times = slots.flatMap(({ delaysMs }) => delaysMs.map((delay) => kit.nowMs + delay));
    starts.push(...items.map(({ job }, at) => ({ job, at: times[at]! })));
    await worker.settle(items);
    await worker.pulse();
  }
  return starts;
};

export const ownPace = (test: LedgerTest): void => {
  test("a client's lower pace slows only its own items: the other client has its full share, and the lane its rate", async (kit) => {
    await slowerJob(kit, "slow", 500, { client: "a", pace: { perSecond: 1 } });
    await kit.job("full", keysOf(1000), { client: "b", pace: TEN });
    assert.equal(await perSecondOf(kit), 10);
    const starts = await slotsOf(kit, 40);
    const timesOf = (job: string) => starts.filter((one) => one.job === job).map(({ at }) => at);
    assert.ok(timesOf("full").length >= 9 * 40 - WINDOW, `${timesOf("full").length} of 400`);
    const slow = timesOf("slow").length;
    assert.ok(slow >= 38 && slow <= 42, `${slow} in 40 seconds`);
    keepsPace(timesOf("slow"), { perSecond: 1, burst: 1 });
    keepsPace(
      starts.map(({ at }) => at),
      TEN,
    );
  });

  test("below its own limit a client has its fair share of the lane, and no more", async (kit) => {
    await slowerJob(kit, "a", 400, { client: "a", pace: { perSecond: 7 } });
    await kit.job("b", keysOf(400), { client: "b", pace: TEN });
    const served = await serveSlots(kit, kit.worker(), 200);
    assert.ok(Math.abs(countOf(served, "a") - 100) <= WINDOW, `${countOf(served, "a")} of 200`);
  });

  test("alone in a lane, a job runs at exactly its requested pace", async (kit) => {
    await slowerJob(kit, "slow", 300, { client: "a", pace: { perSecond: 3 } });
    const starts = await slotsOf(kit, 30);
    keepsPace(
      starts.map(({ at }) => at),
      { perSecond: 3, burst: 1 },
    );
    assert.ok(starts.length >= 90, `${starts.length} in 30 seconds`);
  });

  test("the slowest possible pace delays nobody else, nor does the job when it is cancelled", async (kit) => {
    const worker = kit.worker();
    await slowerJob(kit, "poison", 50, { client: "a", pace: { perSecond: 1e-300 } });
    assert.equal((await worker.take()).length, 1);
    await kit.job("other", keysOf(50), { client: "b", pace: TEN });
    assert.equal((await worker.take()).length, 10);
    await kit.ledger.controlJob("poison", "cancel");
    kit.pass(1000);
    assert.equal((await worker.take()).length, 10);
  });

  test("the lane of a slow scraper is free again as soon as its job is gone", async (kit) => {
    const worker = kit.worker();
    const sitePace = { perSecond: 1 / 86_400, burst: 1, concurrency: 9 };
    await kit.job("daily", keysOf(9), { client: "a", pace: sitePace });
    assert.equal((await worker.take()).length, 2);
    await kit.job("other", keysOf(50), { client: "b", pace: TEN });
    assert.deepEqual(await worker.take(), []);
    await kit.ledger.controlJob("daily", "cancel");
    const { slots } = await worker.claim();
    assert.deepEqual(slots.flatMap(({ delaysMs }) => delaysMs).slice(0, 3), [100, 200, 300]);
  });

  test("of scrapers with different paces in a lane the lowest applies to the lane, a job's own pace does not", async (kit) => {
    await kit.job("slow-site", keysOf(5), { client: "a", pace: { ...TEN, perSecond: 4 } });
    await kit.job("fast-site", keysOf(5), { client: "b", pace: TEN });
    await slowerJob(kit, "own", 5, { client: "c", pace: { perSecond: 1 } });
    assert.equal(await perSecondOf(kit), 4);
    await kit.ledger.controlJob("slow-site", "cancel");
    assert.equal(await perSecondOf(kit), 10);
  });

  test("in a lane without a rate, only the job with a pace of its own is slotted, hops included", async (kit) => {
    const worker = kit.worker();
    await slowerJob(kit, "slow", 20, { client: "a", pace: { perSecond: 2 }, sitePace: UNPACED });
    await kit.job("free", keysOf(20), { client: "b", pace: UNPACED });
    const grant = await worker.claim();
    assert.deepEqual(
      [
        countOf(
          grant.items.map(({ job }) => job),
          "free",
        ),
        grant.unpaced,
      ],
      [20, [SITE]],
    );
    const { queue } = grant.items.find(({ job }) => job === "slow")!;
    assert.deepEqual(
      grant.slots.flatMap((slots) => [slots.queue, ...slots.delaysMs]),
      [queue, 0, 500, 1000],
    );
    kit.pass(1000);
    const hop = await worker.pulse({ wishes: [{ lane: SITE, queue, count: 2 }] });
    assert.deepEqual(hop.slots, [{ lane: SITE, queue, isOwn: true, delaysMs: [500, 1000], lateMs: 250 }]);
  });

  test("a hop of a slow job into another's lane does not slow that lane", async (kit) => {
    const worker = kit.worker();
    await slowerJob(kit, "slow", 5, { client: "a", pace: { perSecond: 0.001 } });
    const [item] = await worker.take();
    await kit.ledger.createJob(jobSpec("other", { client: "b", pace: TEN }));
    await kit.ledger.addItems("other", planned(keysOf(50), "files.test"), []);
    const wish = { lane: "files.test", queue: item!.queue, count: 3 };
    assert.equal((await worker.pulse({ wishes: [wish] })).slots[0]?.delaysMs.length, 1);
    assert.equal((await worker.take()).length, 10);
  });

  test("a client's lower concurrency counts only its own items, and leaves the other places to others", async (kit) => {
    const worker = kit.worker();
    const sitePace = { ...UNPACED, concurrency: 30 };
    await kit.job("wide", keysOf(50), { client: "b", pace: sitePace });
    await slowerJob(kit, "narrow", 50, { client: "a", pace: { concurrency: 2 }, sitePace });
    const items = await worker.take();
    const jobs = items.map(({ job }) => job);
    assert.deepEqual([countOf(jobs, "narrow"), countOf(jobs, "wide")], [2, 28]);
    await worker.settle(items.filter(({ job }) => job === "narrow"));
    await worker.pulse();
    assert.deepEqual(
      (await worker.take()).map(({ job }) => job),
      ["narrow", "narrow"],
    );
  });

  test("a job with one item at a time continues with the settle, without a pulse", async (kit) => {
    const worker = kit.worker();
    const sitePace = { ...UNPACED, concurrency: 30 };
    await slowerJob(kit, "narrow", 9, { client: "a", pace: { concurrency: 1 }, sitePace });
    for (const isNamed of [false, true, true, false]) {
      const items = await worker.take();
      assert.equal(items.length, 1);
      if (isNamed) await worker.pulse();
      assert.deepEqual(await worker.take(), []);
      await worker.settle(items);
    }
    // One that waits for its turn in the worker takes no place; when it is settled, none is freed by it.
    const [waiting] = await worker.take();
    await worker.pulse({ running: [] });
    const [running] = await worker.take();
    await worker.pulse({ running: [running!] });
    await worker.settle([waiting!]);
    assert.deepEqual(await worker.take(), []);
  });
};
