import assert from "node:assert/strict";
import type { JobSpec } from "../../model/job.ts";
import type { Pace } from "../../model/pace.ts";
import { countOf, serveSlots, TEN, WINDOW } from "./serve-slots.ts";
import { keepsPace } from "./slot-windows.ts";
import { jobSpec, keysOf, type LedgerTest, planned, SITE, UNPACED, type World } from "./world.ts";

/** A job that has asked for less than its scraper allows. */
const slowerJob = async (
  { ledger }: World,
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

const perSecondOf = async ({ ledger }: World): Promise<number | undefined> =>
  (await ledger.listLanes({ limit: 1 }))[0]?.perSecond;

/** Slots that the jobs of a lane get in so many seconds, by job. */
const slotsOf = async (world: World, seconds: number) => {
  const worker = world.worker();
  const starts: { readonly job: string; readonly at: number }[] = [];
  for (const endAt = world.nowMs + seconds * 1000; world.nowMs < endAt; world.pass(70)) {
    const { items, slots } = await worker.claim();
    // Slots come in the order of the items: one each.
    const times = slots.flatMap(({ delaysMs }) => delaysMs.map((delay) => world.nowMs + delay));
    starts.push(...items.map(({ job }, at) => ({ job, at: times[at]! })));
    await worker.settle(items);
    await worker.pulse();
  }
  return starts;
};

export const ownPace = (test: LedgerTest): void => {
  test("a client's lower pace slows its own items: the other has its full share, and the lane its rate", async (world) => {
    await slowerJob(world, "slow", 500, { client: "a", pace: { perSecond: 1 } });
    await world.job("full", keysOf(1000), { client: "b", pace: TEN });
    assert.equal(await perSecondOf(world), 10);
    const starts = await slotsOf(world, 40);
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

  test("below its own limit a client has its fair share of the lane, and no more", async (world) => {
    await slowerJob(world, "a", 400, { client: "a", pace: { perSecond: 7 } });
    await world.job("b", keysOf(400), { client: "b", pace: TEN });
    const served = await serveSlots(world, world.worker(), 200);
    assert.ok(Math.abs(countOf(served, "a") - 100) <= WINDOW, `${countOf(served, "a")} of 200`);
  });

  test("alone in a lane, a job goes at exactly the pace that it asked for", async (world) => {
    await slowerJob(world, "slow", 300, { client: "a", pace: { perSecond: 3 } });
    const starts = await slotsOf(world, 30);
    keepsPace(
      starts.map(({ at }) => at),
      { perSecond: 3, burst: 1 },
    );
    assert.ok(starts.length >= 90, `${starts.length} in 30 seconds`);
  });

  test("the slowest pace there is keeps nobody else waiting, nor does the job when it is cancelled", async (world) => {
    const worker = world.worker();
    await slowerJob(world, "poison", 50, { client: "a", pace: { perSecond: 1e-300 } });
    assert.equal((await worker.take()).length, 1);
    await world.job("other", keysOf(50), { client: "b", pace: TEN });
    assert.equal((await worker.take()).length, 10);
    await world.ledger.steerJob("poison", "cancel");
    world.pass(1000);
    assert.equal((await worker.take()).length, 10);
  });

  test("the lane of a slow scraper is free again as soon as its job is gone", async (world) => {
    const worker = world.worker();
    const sitePace = { perSecond: 1 / 86_400, burst: 1, concurrency: 9 };
    await world.job("daily", keysOf(9), { client: "a", pace: sitePace });
    assert.equal((await worker.take()).length, 2);
    await world.job("other", keysOf(50), { client: "b", pace: TEN });
    assert.deepEqual(await worker.take(), []);
    await world.ledger.steerJob("daily", "cancel");
    const { slots } = await worker.claim();
    assert.deepEqual(slots.flatMap(({ delaysMs }) => delaysMs).slice(0, 3), [100, 200, 300]);
  });

  test("of scrapers with different paces in a lane the lowest holds for it, a job's own pace does not", async (world) => {
    await world.job("slow-site", keysOf(5), { client: "a", pace: { ...TEN, perSecond: 4 } });
    await world.job("fast-site", keysOf(5), { client: "b", pace: TEN });
    await slowerJob(world, "own", 5, { client: "c", pace: { perSecond: 1 } });
    assert.equal(await perSecondOf(world), 4);
    await world.ledger.steerJob("slow-site", "cancel");
    assert.equal(await perSecondOf(world), 10);
  });

  test("in a lane without a rate, only the job with a pace of its own is slotted, hops included", async (world) => {
    const worker = world.worker();
    await slowerJob(world, "slow", 20, { client: "a", pace: { perSecond: 2 }, sitePace: UNPACED });
    await world.job("free", keysOf(20), { client: "b", pace: UNPACED });
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
    world.pass(1000);
    const hop = await worker.pulse({ wishes: [{ lane: SITE, queue, count: 2 }] });
    assert.deepEqual(hop.slots, [{ lane: SITE, queue, isOwn: true, delaysMs: [500, 1000], lateMs: 250 }]);
  });

  test("a hop of a slow job into another's lane does not slow that lane", async (world) => {
    const worker = world.worker();
    await slowerJob(world, "slow", 5, { client: "a", pace: { perSecond: 0.001 } });
    const [item] = await worker.take();
    await world.ledger.createJob(jobSpec("other", { client: "b", pace: TEN }));
    await world.ledger.addItems("other", planned(keysOf(50), "files.test"), []);
    const wish = { lane: "files.test", queue: item!.queue, count: 3 };
    assert.equal((await worker.pulse({ wishes: [wish] })).slots[0]?.delaysMs.length, 1);
    assert.equal((await worker.take()).length, 10);
  });

  test("a client's lower number of places is counted by its own items, and leaves the others to others", async (world) => {
    const worker = world.worker();
    const sitePace = { ...UNPACED, concurrency: 30 };
    await world.job("wide", keysOf(50), { client: "b", pace: sitePace });
    await slowerJob(world, "narrow", 50, { client: "a", pace: { concurrency: 2 }, sitePace });
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

  test("a job of one item at a time goes on with the settle, without a word of what runs", async (world) => {
    const worker = world.worker();
    const sitePace = { ...UNPACED, concurrency: 30 };
    await slowerJob(world, "narrow", 9, { client: "a", pace: { concurrency: 1 }, sitePace });
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
