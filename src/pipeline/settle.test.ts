import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openSqlite } from "../backends/sqlite/open.ts";
import type { ItemRef } from "../domain/item.ts";
import { LedgerError, type SettledItem } from "../ports/ledger.ts";
import { DONE, settlement } from "../ports/ledger-suite/sim-worker.ts";
import { keysOf, Kit } from "../ports/ledger-suite/test-kit.ts";
import { Settler } from "./settle.ts";

/** A settler with N items in flight, and its reports. */
const open = async (t: TestContext, count: number) => {
  const kit = await Kit.create(t, (folder, options) => openSqlite(join(folder, "ledger.db"), options));
  await kit.job("j1", keysOf(count));
  const { items } = await kit.ledger.claim({ worker: "w1", room: count, inFlight: new Map() });
  const settled = items.map((item) => settlement(item, DONE));
  const batches: { count: number; refused: number }[] = [];
  const errors: unknown[] = [];
  const onSettled = (some: readonly SettledItem[], refused: readonly ItemRef[]) =>
    batches.push({ count: some.length, refused: refused.length });
  const options = { worker: "w1", onSettled, onError: (error: unknown) => errors.push(error) };
  return { kit, settled, batches, errors, options };
};

test("items that end together are settled together, in batches that hold the lock only briefly", async (t) => {
  const { kit, settled, batches, options } = await open(t, 1200);
  const settler = new Settler({ ...options, ledger: kit.ledger });
  for (const item of settled) settler.add(item);
  await settler.flush();
  assert.deepEqual(
    batches.map(({ count }) => count),
    [500, 500, 200],
  );
  assert.equal((await kit.counts("j1")).states.done, 1200);
});

test("an ended item is settled after a short wait", async (t) => {
  const { kit, settled, options } = await open(t, 1);
  const told = Promise.withResolvers<void>();
  const settler = new Settler({ ...options, ledger: kit.ledger, onSettled: () => told.resolve() });
  settler.add(settled[0]!);
  await told.promise;
  assert.equal((await kit.counts("j1")).states.done, 1);
});

test("items without a valid lease are refused, counted, and change nothing", async (t) => {
  const { kit, settled, batches, errors, options } = await open(t, 3);
  const settler = new Settler({ ...options, ledger: kit.ledger });
  await kit.ledger.reap({ worker: "w1" });
  for (const item of settled) settler.add(item);
  await settler.flush();
  assert.deepEqual([batches, errors], [[{ count: 3, refused: 3 }], []]);
  assert.equal((await kit.counts("j1")).states.done, 0);
});

test("a ledger that cannot be written is reported once per batch, and the items stay leased", async (t) => {
  const { kit, settled, batches, errors, options } = await open(t, 600);
  const full = new LedgerError("no-space", "the disk is full");
  const ledger = { ...kit.ledger, settle: () => Promise.reject(full) };
  const settler = new Settler({ ...options, ledger });
  for (const item of settled) settler.add(item);
  await settler.flush();
  assert.deepEqual([batches, errors], [[], [full, full]]);
  assert.equal((await kit.counts("j1")).states.leased, 600);
});
