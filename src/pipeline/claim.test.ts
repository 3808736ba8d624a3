import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import { keysOf, planned, Kit } from "../ports/ledger-suite/test-kit.ts";
import { Hand } from "./claim.ts";

const open = async (t: TestContext, { capacity = 5, maxUnsettled = 100 } = {}) => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  await kit.job("j1", keysOf(20));
  const hand = new Hand({ ledger: kit.ledger, worker: "w1", capacity, maxUnsettled });
  return { kit, hand };
};

test("a hand takes no more than it has room for, and more once something is released", async (t) => {
  const { hand } = await open(t);
  const { items } = await hand.claim();
  assert.deepEqual([items.length, hand.size, hand.room], [5, 5, 0]);
  hand.release(items[0]!);
  hand.release(items[0]!);
  assert.deepEqual([hand.size, hand.room], [4, 1]);
  assert.equal((await hand.claim()).items.length, 1);
});

test("what is collected and not settled keeps its place when the disk is slow", async (t) => {
  const { hand } = await open(t, { maxUnsettled: 7 });
  const { items } = await hand.claim();
  for (const item of items) hand.release(item);
  assert.deepEqual([hand.size, hand.unsettled, hand.room], [0, 5, 2]);
  hand.settled(4);
  assert.deepEqual([hand.unsettled, hand.room], [1, 5]);
});

test("items in hand are counted by lane, and a lane without any is forgotten", async (t) => {
  const { kit, hand } = await open(t, { capacity: 30 });
  await kit.ledger.addItems("j1", planned(["other"], "other.test"), []);
  const { items } = await hand.claim();
  assert.deepEqual(Object.fromEntries(hand.inFlight), { "other.test": 1, "site.test": 20 });
  for (const item of items.filter(({ lane }) => lane === "other.test")) hand.release(item);
  assert.deepEqual([...hand.inFlight], [["site.test", 20]]);
});

test("what runs is named with every claim, so that a death accuses nobody else", async (t) => {
  const { kit, hand } = await open(t);
  const { items } = await hand.claim();
  for (const item of items.slice(1)) hand.release(item);
  await hand.claim();
  assert.equal(hand.running.length, 5);
  const { suspects, returned } = await kit.ledger.reap({ worker: "w1" });
  assert.deepEqual([suspects, returned], [5, 4]);
});
