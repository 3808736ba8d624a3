import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { jobSpec, planned } from "../../ports/ledger-suite/world.ts";
import type { PlannedItem } from "../../ports/ledger.ts";
import { Database } from "./database.ts";
import { insertItems, insertKeys, placeItems, type PlacedItem } from "./insert-items.ts";
import { jobRow, readSpec } from "./job-row.ts";
import { keyHash } from "./key-hash.ts";
import { openSqlite } from "./open.ts";

/** Found by search: two texts, one hash. */
const [ONE, TWO] = ["caa撊鱂", "caa馋痕"];

const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-insert-"));
  const file = join(folder, "ledger.db");
  const ledger = await openSqlite(file);
  const db = await Database.open(file, {});
  t.after(async () => {
    db.close();
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  await ledger.createJob(jobSpec("job"));
  // As jobs of the first versions are, whose hash collides as one likes.
  await db.write(() => db.run("UPDATE jobs SET key_seed = NULL"));
  const keys = async () => (await ledger.listItems("job", { limit: 1000 })).items.map((item) => item.key);
  const place = (items: readonly PlannedItem[]): Promise<PlacedItem[]> =>
    db.write(() => {
      const job = jobRow(db, "job");
      return placeItems(db, job, readSpec(job.spec), items);
    });
  const claimKeys = (placed: readonly PlacedItem[]) =>
    db.write(() => insertKeys(db, jobRow(db, "job").number, placed));
  const insert = (placed: readonly PlacedItem[]) => db.write(() => insertItems(db, placed, Infinity));
  return { ledger, db, keys, place, claimKeys, insert };
};

it("has two keys with one hash to test with", () => {
  assert.notEqual(ONE, TWO);
  assert.equal(keyHash(ONE, null), keyHash(TWO, null));
});

it("keeps different keys with the same hash apart, in whatever order they come and come again", async (t) => {
  for (const batches of [
    [[ONE, TWO]],
    [[ONE], [TWO]],
    [[ONE], [TWO, ONE]],
    [[ONE], [TWO], [TWO, ONE]],
    [[ONE], [TWO], [ONE, TWO], [TWO]],
    [
      [ONE, ONE, TWO, TWO],
      [TWO, ONE],
    ],
  ]) {
    const { ledger, keys } = await open(t);
    for (const batch of batches) await ledger.addItems("job", planned(batch), []);
    assert.deepEqual((await keys()).toSorted(), [ONE, TWO].toSorted(), JSON.stringify(batches));
    const counts = (await ledger.readJob("job"))?.counts;
    assert.deepEqual([counts?.accepted, counts?.folded], [2, batches.flat().length - 2]);
  }
});

it("keeps emitted keys with the same hash apart", async (t) => {
  const { ledger, keys } = await open(t);
  await ledger.addItems("job", planned(["list"]), []);
  const { items } = await ledger.claim({ worker: "w", room: 1, inHand: new Map() });
  const attempt = { startedAt: 0, ms: 0, requests: 0, bytes: 0 };
  const outcome = { state: "done", quality: "complete" } as const;
  const emitted = planned([TWO, ONE, TWO, ONE]);
  await ledger.settle("w", [
    { ...items[0]!, outcome, attempt, captures: [], records: null, fieldCounts: null, emitted },
  ]);
  assert.deepEqual((await keys()).toSorted(), ["list", ONE, TWO].toSorted());
});

it("loses nothing when a process dies after its keys were claimed and before its items came", async (t) => {
  const { ledger, keys, place, claimKeys } = await open(t);
  await claimKeys(await place(planned(["a", "b", "c"])));
  assert.deepEqual(await keys(), []);
  const reply = await ledger.addItems("job", planned(["b", "c", "d", "a"], "other.test"), []);
  assert.deepEqual(reply, { accepted: 4, folded: 0, capped: 0 });
  assert.deepEqual((await keys()).toSorted(), ["a", "b", "c", "d"]);
  const { items } = await ledger.claim({ worker: "w", room: 9, inHand: new Map() });
  assert.deepEqual(items.map((item) => item.key).toSorted(), ["a", "b", "c", "d"]);
});

it("loses nothing when a process dies between the chunks of its items, and gives late ones out", async (t) => {
  const { ledger, keys, place, claimKeys, insert } = await open(t);
  const placed = await place(planned(["a", "b", "c", "d"]));
  await claimKeys(placed);
  await insert(placed.slice(2));
  await ledger.claim({ worker: "w", room: 9, inHand: new Map() });
  const reply = await ledger.addItems("job", planned(["a", "b", "c", "d", "e"]), []);
  assert.deepEqual(reply, { accepted: 3, folded: 2, capped: 0 });
  assert.deepEqual((await keys()).toSorted(), ["a", "b", "c", "d", "e"]);
  const { items } = await ledger.claim({ worker: "w", room: 9, inHand: new Map() });
  assert.deepEqual(items.map((item) => item.key).toSorted(), ["a", "b", "e"]);
});

it("folds for the slower of two processes that have the same key under way", async (t) => {
  const { keys, place, claimKeys, insert } = await open(t);
  const [slow, fast] = [await place(planned(["a", "b"])), await place(planned(["b", "a"]))];
  await claimKeys(slow);
  await claimKeys(fast);
  assert.deepEqual(await insert(fast), { accepted: 2, folded: 0, capped: 0 });
  assert.deepEqual(await insert(slow), { accepted: 0, folded: 2, capped: 0 });
  assert.deepEqual((await keys()).toSorted(), ["a", "b"]);
});

it("keeps both items when two processes have different keys with one hash under way", async (t) => {
  const { ledger, keys, place, claimKeys, insert } = await open(t);
  const [slow, fast] = [await place(planned([ONE])), await place(planned([TWO]))];
  await claimKeys(slow);
  await claimKeys(fast);
  assert.deepEqual(await insert(fast), { accepted: 1, folded: 0, capped: 0 });
  assert.deepEqual(await insert(slow), { accepted: 1, folded: 0, capped: 0 });
  assert.deepEqual((await keys()).toSorted(), [ONE, TWO].toSorted());
  assert.equal((await ledger.addItems("job", planned([TWO, ONE]), [])).folded, 2);
});
