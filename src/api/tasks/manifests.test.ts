import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readManifest } from "../../archive/manifest.ts";
import { openFiles } from "../../backends/files/open-files.ts";
import { BlobError, type Blobs } from "../../ports/blobs.ts";
import { failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import { stepped, NotifyKit } from "../testing/notify-kit.ts";
import { runManifests } from "./manifests.ts";

const open = async (t: TestContext) => {
  const service = await NotifyKit.open(t);
  const folder = await mkdtemp(join(tmpdir(), "sluice-manifests-"));
  t.after(() => rm(folder, { recursive: true }));
  const blobs = await openFiles(folder);
  const make = async (id: string): Promise<void> => {
    await service.ledger.createJob(jobSpec(id));
    await service.ledger.addItems(id, planned(keysOf(3)), []);
    await service.ledger.sealJob(id);
  };
  const start = () =>
    stepped((wait, signal) => runManifests({ ...service.tools("one"), blobs, wait }, signal));
  return { service, blobs, make, start };
};

/** States of the items in a job's manifest; undefined where there is none. */
const statesIn = async (blobs: Blobs, job: string): Promise<string[] | undefined> => {
  const names = (await Array.fromAsync(blobs.list(`jobs/${job}/`))).map(({ name }) => name);
  if (!names.includes(`jobs/${job}/manifest.jsonl`)) return undefined;
  return (await Array.fromAsync(readManifest(blobs, job))).map(({ state }) => state);
};

const CANCELLED = ["cancelled", "cancelled", "cancelled"];

test("a job that ends gets its manifest, and a running one has none", async (t) => {
  const { service, blobs, make, start } = await open(t);
  await make("runs");
  await make("ends");
  const task = start();
  await task.rests();
  await service.ledger.controlJob("ends", "cancel");
  await task.round();
  assert.deepEqual(await statesIn(blobs, "ends"), CANCELLED);
  assert.equal(await statesIn(blobs, "runs"), undefined);
  await task.stop();
  assert.deepEqual(service.problems, []);
});

test("jobs that ended while no controller ran, or between two looks, get their manifest too", async (t) => {
  const { service, blobs, make, start } = await open(t);
  await make("before");
  await service.ledger.controlJob("before", "cancel");
  const task = start();
  await task.rests();
  assert.deepEqual(await statesIn(blobs, "before"), CANCELLED);
  await make("quick");
  await service.ledger.controlJob("quick", "cancel");
  await task.round();
  assert.deepEqual(await statesIn(blobs, "quick"), CANCELLED);
  await task.stop();
});

test("the manifest of an end is written once, over all controllers", async (t) => {
  const { service, blobs, make, start } = await open(t);
  await make("old");
  await service.ledger.controlJob("old", "cancel");
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

for (const actor of ["the same controller", "the next controller"] as const)
  test(`a job that was retried and ended again while nobody looked gets a new manifest from ${actor}`, async (t) => {
    const { service, blobs, make, start } = await open(t);
    const { ledger } = service;
    const worker = new SimWorker("w1", ledger, service.now);
    await make("job");
    await worker.settle(await worker.take(), failed("timeout"));
    let task = start();
    await task.rests();
    assert.deepEqual(await statesIn(blobs, "job"), ["failed", "failed", "failed"]);
    if (actor === "the next controller") await task.stop();
    service.nowMs += 500;
    await ledger.retryItems("job", {});
    await worker.settle(await worker.take());
    if (actor === "the same controller") await task.round();
    else {
      task = start();
      await task.rests();
    }
    assert.deepEqual(await statesIn(blobs, "job"), ["done", "done", "done"]);
    await task.stop();
    assert.deepEqual(service.problems, []);
  });

test("a manifest that could not be written is written in a later round", async (t) => {
  const { service, blobs, make } = await open(t);
  await make("job");
  await service.ledger.controlJob("job", "cancel");
  let isFull = true;
  const put: Blobs["put"] = (name, body) =>
    isFull ? Promise.reject(new BlobError("no-space", name, "the disk is full")) : blobs.put(name, body);
  const task = stepped((wait, signal) =>
    runManifests({ ...service.tools("one"), blobs: { ...blobs, put }, wait }, signal),
  );
  await task.rests();
  assert.equal(service.problems.length, 1);
  isFull = false;
  await task.round();
  assert.deepEqual(await statesIn(blobs, "job"), CANCELLED);
  await task.stop();
});

test("a job whose manifest cannot be written is reported, and the others get theirs", async (t) => {
  const { service, blobs, make } = await open(t);
  for (const id of ["a", "bad", "c"]) {
    await make(id);
    await service.ledger.controlJob(id, "cancel");
  }
  let isBad = true;
  const put: Blobs["put"] = (name, body) =>
    isBad && name.startsWith("jobs/bad/") ? Promise.reject(new Error("too large")) : blobs.put(name, body);
  const task = stepped((wait, signal) =>
    runManifests({ ...service.tools("one"), blobs: { ...blobs, put }, wait }, signal),
  );
  await task.rests();
  assert.equal(service.problems.length, 1);
  assert.deepEqual([await statesIn(blobs, "a"), await statesIn(blobs, "c")], [CANCELLED, CANCELLED]);
  await make("later");
  await service.ledger.controlJob("later", "cancel");
  await task.round();
  isBad = false;
  await task.round();
  await task.round();
  assert.deepEqual([await statesIn(blobs, "later"), await statesIn(blobs, "bad")], [CANCELLED, CANCELLED]);
  await task.stop();
});
