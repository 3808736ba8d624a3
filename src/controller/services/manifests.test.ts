import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readManifest } from "../../archive/manifest.ts";
import { openFiles } from "../../backends/files/open-files.ts";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/world.ts";
import { stepped, TellingHouse } from "../telling-house.suite.ts";
import { runManifests } from "./manifests.ts";

const open = async (t: TestContext) => {
  const house = await TellingHouse.open(t);
  const folder = await mkdtemp(join(tmpdir(), "sluice-manifests-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFiles(folder);
  const make = async (id: string): Promise<void> => {
    await house.ledger.createJob(jobSpec(id));
    await house.ledger.addItems(id, planned(keysOf(3)), []);
    await house.ledger.sealJob(id);
  };
  const start = () => stepped((wait, signal) => runManifests({ ...house.tools("one"), blobs, wait }, signal));
  return { house, blobs, make, start };
};

/** States of the items in a job's manifest; undefined where there is none. */
const statesIn = async (blobs: Blobs, job: string): Promise<string[] | undefined> => {
  const names = (await Array.fromAsync(blobs.list(`jobs/${job}/`))).map(({ name }) => name);
  if (!names.includes(`jobs/${job}/manifest.jsonl`)) return undefined;
  return (await Array.fromAsync(readManifest(blobs, job))).map(({ state }) => state);
};

const CANCELLED = ["cancelled", "cancelled", "cancelled"];

test("a job that ends while somebody watches has its manifest, and one that runs has none", async (t) => {
  const { house, blobs, make, start } = await open(t);
  await make("runs");
  await make("ends");
  const duty = start();
  await duty.rests();
  await house.ledger.steerJob("ends", "cancel");
  await duty.round();
  assert.deepEqual(await statesIn(blobs, "ends"), CANCELLED);
  assert.equal(await statesIn(blobs, "runs"), undefined);
  await duty.stop();
  assert.deepEqual(house.problems, []);
});

test("jobs that ended while nobody watched have theirs with the first look, and those that begin and end between two looks too", async (t) => {
  const { house, blobs, make, start } = await open(t);
  await make("before");
  await house.ledger.steerJob("before", "cancel");
  const duty = start();
  await duty.rests();
  assert.deepEqual(await statesIn(blobs, "before"), CANCELLED);
  await make("quick");
  await house.ledger.steerJob("quick", "cancel");
  await duty.round();
  assert.deepEqual(await statesIn(blobs, "quick"), CANCELLED);
  await duty.stop();
});

test("a manifest that tells of the job's end is not written again, by the next controller neither", async (t) => {
  const { house, blobs, make, start } = await open(t);
  await make("old");
  await house.ledger.steerJob("old", "cancel");
  const first = start();
  await first.rests();
  await first.stop();
  await blobs.put("jobs/old/manifest.jsonl", Buffer.from(""));
  const next = start();
  await next.rests();
  await next.round();
  assert.deepEqual(await statesIn(blobs, "old"), []);
  await next.stop();
});

for (const who of ["the same controller", "the next controller"] as const)
  test(`a job that was retried and ended again while nobody looked gets a new manifest from ${who}`, async (t) => {
    const { house, blobs, make, start } = await open(t);
    const { ledger } = house;
    const worker = new SimWorker("w1", ledger, house.now);
    await make("job");
    await worker.settle(await worker.take(), failed("timeout"));
    let duty = start();
    await duty.rests();
    assert.deepEqual(await statesIn(blobs, "job"), ["failed", "failed", "failed"]);
    if (who === "the next controller") await duty.stop();
    house.nowMs += 500;
    await ledger.retryItems("job", {});
    await worker.settle(await worker.take());
    if (who === "the same controller") await duty.round();
    else {
      duty = start();
      await duty.rests();
    }
    assert.deepEqual(await statesIn(blobs, "job"), ["done", "done", "done"]);
    await duty.stop();
    assert.deepEqual(house.problems, []);
  });

test("what could not be written is written the next time", async (t) => {
  const { house, blobs, make } = await open(t);
  await make("job");
  await house.ledger.steerJob("job", "cancel");
  let isFull = true;
  const put: Blobs["put"] = (name, body) =>
    isFull ? Promise.reject(new BlobError("no-space", name, "the disk is full")) : blobs.put(name, body);
  const duty = stepped((wait, signal) =>
    runManifests({ ...house.tools("one"), blobs: { ...blobs, put }, wait }, signal),
  );
  await duty.rests();
  assert.equal(house.problems.length, 1);
  isFull = false;
  await duty.round();
  assert.deepEqual(await statesIn(blobs, "job"), CANCELLED);
  await duty.stop();
});

test("a job whose manifest cannot be written is reported, and the others have theirs", async (t) => {
  const { house, blobs, make } = await open(t);
  for (const id of ["a", "bad", "c"]) {
    await make(id);
    await house.ledger.steerJob(id, "cancel");
  }
  let isBad = true;
  const put: Blobs["put"] = (name, body) =>
    isBad && name.startsWith("jobs/bad/") ? Promise.reject(new Error("too large")) : blobs.put(name, body);
  const duty = stepped((wait, signal) =>
    runManifests({ ...house.tools("one"), blobs: { ...blobs, put }, wait }, signal),
  );
  await duty.rests();
  assert.equal(house.problems.length, 1);
  assert.deepEqual([await statesIn(blobs, "a"), await statesIn(blobs, "c")], [CANCELLED, CANCELLED]);
  await make("later");
  await house.ledger.steerJob("later", "cancel");
  await duty.round();
  isBad = false;
  await duty.round();
  await duty.round();
  assert.deepEqual([await statesIn(blobs, "later"), await statesIn(blobs, "bad")], [CANCELLED, CANCELLED]);
  await duty.stop();
});
