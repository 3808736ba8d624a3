import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readManifest } from "../../archive/manifest.ts";
import { openFiles } from "../../backends/files/open-files.ts";
import type { Blobs } from "../../ports/blobs.ts";
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

test("a manifest that is there is not written again", async (t) => {
  const { house, blobs, make, start } = await open(t);
  await make("old");
  await house.ledger.steerJob("old", "cancel");
  await blobs.put("jobs/old/manifest.jsonl", Buffer.from(""));
  const duty = start();
  await duty.rests();
  await duty.round();
  assert.deepEqual(await statesIn(blobs, "old"), []);
  await duty.stop();
});
