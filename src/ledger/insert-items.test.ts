import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { Database } from "../backends/sqlite/database.ts";
import { openSqlite } from "../backends/sqlite/open.ts";
import { sqliteStore } from "../backends/sqlite/store.ts";
import { SimWorker } from "../ports/ledger-suite/sim-worker.ts";
import { jobSpec, planned } from "../ports/ledger-suite/test-kit.ts";
import { keyHash } from "./item-keys.ts";
import { ledgerVerbs } from "./verbs.ts";

/** Found by search: two texts, one hash. */
const [ONE, TWO] = ["caa撊鱂", "caa馋痕"];

const open = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-insert-"));
  const file = join(folder, "ledger.db");
  const ledger = await openSqlite(file);
  const db = await Database.open(file, {});
  const store = sqliteStore(db);
  t.after(async () => {
    db.close();
    await ledger.close();
    await rm(folder, { recursive: true });
  });
  const create = async (id: string, own: Parameters<typeof jobSpec>[1] = {}): Promise<void> => {
    await ledger.createJob(jobSpec(id, own));
    // As jobs of the first versions are, whose hash collides as one likes.
    await store.transact([], (tx) => tx.patch("job", tx.one("jobNamed", id)!, { keySeed: null }));
  };
  await create("job");
  const keys = async (id = "job") =>
    (await ledger.listItems(id, { limit: 1000 })).items.map((item) => item.key).toSorted();
  return { ledger, store, create, keys, worker: new SimWorker("w", ledger, Date.now) };
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
    assert.deepEqual(await keys(), [ONE, TWO].toSorted(), JSON.stringify(batches));
    const counts = (await ledger.readJob("job"))?.counts;
    assert.deepEqual([counts?.accepted, counts?.folded], [2, batches.flat().length - 2]);
  }
});

it("keeps emitted keys with the same hash apart", async (t) => {
  const { ledger, keys, worker } = await open(t);
  await ledger.addItems("job", planned(["list"]), []);
  const [item] = await worker.take();
  await worker.emit(item!, planned([TWO, ONE, TWO, ONE]));
  assert.deepEqual(await keys(), ["list", ONE, TWO].toSorted());
});

it("keeps capped keys with the same hash apart, and lets both in", async (t) => {
  const { ledger, create, keys } = await open(t);
  await create("small", { maxItems: 1 });
  for (const batch of [["x", ONE], [TWO], [TWO, ONE]]) await ledger.addItems("small", planned(batch), []);
  const counts = (await ledger.readJob("small"))?.counts;
  assert.deepEqual([counts?.accepted, counts?.capped, counts?.folded], [1, 2, 2]);
  assert.equal(await ledger.raiseCaps("small", { maxItems: 9 }), 2);
  assert.deepEqual(await keys("small"), ["x", ONE, TWO].toSorted());
});

it("items whose keys an older version had claimed before it died come when they are added again, and are given out", async (t) => {
  const { ledger, store, keys, worker } = await open(t);
  await ledger.addItems("job", planned(["a", "b", "c", "d"]), []);
  await store.transact([], (tx) => {
    for (const seq of [1, 2]) tx.drop("item", 1, seq);
    tx.patch("queue", tx.one("queue", 1)!, { open: 2 });
  });
  assert.deepEqual(await worker.takeKeys(), ["c", "d"]);
  const reply = await ledger.addItems("job", planned(["a", "b", "c", "d", "e"]), []);
  assert.deepEqual(reply, { accepted: 3, folded: 2, capped: 0 });
  assert.deepEqual(await keys(), ["a", "b", "c", "d", "e"]);
  assert.deepEqual((await worker.takeKeys()).toSorted(), ["a", "b", "e"]);
});

it("a large batch that breaks off after any of its transactions is whole when it is added again", async (t) => {
  const keys = Array.from({ length: 4100 }, (_, n) => `key ${n}`);
  keys.splice(17, 0, ONE, "key 9", TWO);
  keys.push(TWO, "key 4000", ONE);
  const distinct = [...new Set(keys)];
  const { ledger, store, create, worker } = await open(t);
  const addUpTo = async (job: string, last: number): Promise<number> => {
    let begun = 0;
    const transact: typeof store.transact = (wants, work, durable) => {
      if (++begun > last) throw new Error("cut off");
      return store.transact(wants, work, durable);
    };
    const add = ledgerVerbs({ ...store, transact }).addItems(job, planned(keys), []);
    await add.catch((error: Error) => assert.equal(error.message, "cut off"));
    return begun;
  };
  await create("all");
  const transactions = await addUpTo("all", Infinity);
  assert.ok(transactions > 6, `${transactions}`);
  for (let last = 0; last <= transactions; last++) {
    const job = `job ${last}`;
    await create(job);
    await addUpTo(job, last);
    await ledger.addItems(job, planned(keys), []);
    const { counts } = (await ledger.readJob(job))!;
    assert.deepEqual([counts.accepted, counts.capped], [distinct.length, 0]);
    assert.equal(counts.received, counts.accepted + counts.folded);
  }
  await ledger.controlJob("all", "pause");
  for (let last = 1; last <= transactions; last++) await ledger.controlJob(`job ${last}`, "pause");
  assert.deepEqual((await worker.takeKeys(5000)).toSorted(), distinct.toSorted());
});
