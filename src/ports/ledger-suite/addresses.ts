import assert from "node:assert/strict";
import type { Pace } from "../../domain/job-version.ts";
import { EVERY_ADDRESS } from "../../domain/lane-name.ts";
import { keepsPace, TEN } from "./slot-watch.ts";
import { type Kit, type LedgerTest, planned, UNPACED } from "./test-kit.ts";

const ADDRESS = "address:203.0.113.7";
const LANES = Array.from({ length: 12 }, (_, n) => `name${n}.test`);

/** Slots that items in these lanes, which share one address, get from two workers in N seconds. */
const slotsAt = async (kit: Kit, pace: Pace, seconds: number): Promise<number[]> => {
  await kit.job("many", [], { pace });
  for (const lane of LANES) await kit.ledger.addItems("many", planned([lane], lane), []);
  const workers = [kit.worker("w1"), kit.worker("w2")];
  const items = (await Promise.all(workers.map((worker) => worker.claim()))).map((grant) => grant.items);
  assert.equal(items.flat().length, LANES.length);
  const slots: number[] = [];
  for (const endAt = kit.nowMs + seconds * 1000; kit.nowMs < endAt; kit.pass(70))
    for (const [n, worker] of workers.entries()) {
      const wishes = items[n]!.map(({ lane, queue }) => ({ lane, queue, count: 5, address: ADDRESS }));
      const reply = await worker.pulse({ wishes });
      for (const { address, delaysMs } of reply.slots) {
        assert.equal(address, ADDRESS);
        slots.push(...delaysMs.map((delay) => kit.nowMs + delay));
      }
    }
  return slots.toSorted((a, b) => a - b);
};

export const addresses = (test: LedgerTest): void => {
  test("lanes with the same address are paced together, over all workers", async (kit) => {
    await kit.ledger.controlLane(EVERY_ADDRESS, { perSecond: 5 });
    const slots = await slotsAt(kit, TEN, 10);
    assert.ok(slots.length >= 45, `${slots.length} slots in 10 seconds`);
    keepsPace(slots, { perSecond: 5, burst: 1 });
  });

  test("lanes with the same address have their full pace if the address allows it", async (kit) => {
    await kit.ledger.controlLane(EVERY_ADDRESS, { perSecond: 1000 });
    const slots = await slotsAt(kit, TEN, 10);
    const least = 0.95 * LANES.length * TEN.perSecond * 10;
    assert.ok(slots.length >= least, `${slots.length} slots in 10 seconds, of ${least}`);
  });

  test("an address has its pace also if the lanes have none, and a single address can be limited or held", async (kit) => {
    await kit.ledger.controlLane(EVERY_ADDRESS, { perSecond: 1000 });
    await kit.ledger.controlLane(ADDRESS, { perSecond: 2 });
    const slots = await slotsAt(kit, UNPACED, 10);
    assert.ok(slots.length >= 18, `${slots.length} slots in 10 seconds`);
    keepsPace(slots, { perSecond: 2, burst: 1 });
    await kit.ledger.controlLane(ADDRESS, { isHeld: true });
    const worker = kit.worker();
    await kit.job("more", [], { pace: UNPACED });
    await kit.ledger.addItems("more", planned(["k"], "more.test"), []);
    const [item] = (await worker.claim()).items;
    const wish = { lane: item!.lane, queue: item!.queue, count: 1 };
    kit.pass(2000);
    assert.deepEqual((await worker.pulse({ wishes: [{ ...wish, address: ADDRESS }] })).slots, []);
    assert.deepEqual([...new Set((await worker.pulse({ wishes: [wish] })).unpaced)], ["more.test"]);
  });

  test("workers learn whether addresses are paced; by default they are not", async (kit) => {
    const worker = kit.worker();
    await kit.job("one", ["k"], { pace: UNPACED });
    const isPaced = async () => [
      (await worker.claim()).pacesAddresses === true,
      (await worker.pulse()).pacesAddresses === true,
    ];
    assert.deepEqual(await isPaced(), [false, false]);
    await kit.ledger.controlLane(EVERY_ADDRESS, { perSecond: 5 });
    assert.deepEqual(await isPaced(), [true, true]);
    await kit.ledger.controlLane(EVERY_ADDRESS, { perSecond: null });
    assert.deepEqual(await isPaced(), [false, false]);
  });

  test("unused addresses are forgotten, except those that an operator has set", async (kit) => {
    await kit.ledger.controlLane(EVERY_ADDRESS, { perSecond: 5 });
    await slotsAt(kit, UNPACED, 1);
    await kit.ledger.controlLane("address:203.0.113.8", { perSecond: 1 });
    kit.pass(2 * 3_600_000);
    await kit.ledger.tidy();
    const lanes = await kit.ledger.listLanes({ limit: 100 });
    const known = lanes.map(({ lane }) => lane).filter((lane) => lane.startsWith("address:"));
    assert.deepEqual(known, [EVERY_ADDRESS, "address:203.0.113.8"]);
  });
};
