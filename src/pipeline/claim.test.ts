import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { keysOf, planned, Kit } from "../ports/ledger-suite/test-kit.ts";
import { InFlightItems } from "./claim.ts";

const open = async (t: TestContext, { capacity = 5, maxUnsettled = 100 } = {}) => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  await kit.job("j1", keysOf(20));
  const inFlight = new InFlightItems({ ledger: kit.ledger, worker: "w1", capacity, maxUnsettled });
  return { kit, inFlight };
};

test("a worker claims no more items than it has room for, and more once some are released", async (t) => {
  const { inFlight } = await open(t);
  const { items } = await inFlight.claim();
  assert.deepEqual([items.length, inFlight.size, inFlight.room], [5, 5, 0]);
  inFlight.release(items[0]!);
  inFlight.release(items[0]!);
  assert.deepEqual([inFlight.size, inFlight.room], [4, 1]);
  assert.equal((await inFlight.claim()).items.length, 1);
});

test("collected items that are not settled keep their place when the disk is slow", async (t) => {
  const { inFlight } = await open(t, { maxUnsettled: 7 });
  const { items } = await inFlight.claim();
  for (const item of items) inFlight.release(item);
  assert.deepEqual([inFlight.size, inFlight.unsettled, inFlight.room], [0, 5, 2]);
  inFlight.settled(4);
  assert.deepEqual([inFlight.unsettled, inFlight.room], [1, 5]);
});

test("items in flight are counted by lane, and a lane without any is forgotten", async (t) => {
  const { kit, inFlight } = await open(t, { capacity: 30 });
  await kit.ledger.addItems("j1", planned(["other"], "other.test"), []);
  const { items } = await inFlight.claim();
  assert.deepEqual(Object.fromEntries(inFlight.byLane), { "other.test": 1, "site.test": 20 });
  for (const item of items.filter(({ lane }) => lane === "other.test")) inFlight.release(item);
  assert.deepEqual([...inFlight.byLane], [["site.test", 20]]);
});

test("running items are named with every claim, so that no other item becomes a suspect after a death", async (t) => {
  const { kit, inFlight } = await open(t);
  const { items } = await inFlight.claim();
  for (const item of items.slice(1)) inFlight.release(item);
  await inFlight.claim();
  assert.equal(inFlight.running.length, 5);
  const { suspects, returned } = await kit.ledger.reap({ worker: "w1" });
  assert.deepEqual([suspects, returned], [5, 4]);
});
