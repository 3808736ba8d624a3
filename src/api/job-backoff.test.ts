import assert from "node:assert/strict";
import { test } from "node:test";
import { JobBackoff } from "./job-backoff.ts";

test("a job that fails is reported and left out of more and more rounds, and the others go on", async () => {
  const reported: string[] = [];
  const jobs = new JobBackoff((error) => reported.push((error as Error).message));
  const tried: number[] = [];
  let done = 0;
  for (let round = 0; round < 12; round++) {
    const isDone = await jobs.try("bad", async () => {
      tried.push(round);
      throw new Error("no space");
    });
    assert.equal(isDone, false);
    if (await jobs.try("good", async () => undefined)) done++;
  }
  assert.deepEqual([tried, done], [[0, 1, 3, 7], 12]);
  assert.deepEqual(new Set(reported), new Set(["job bad: no space"]));
});

test("one that has succeeded begins anew", async () => {
  const jobs = new JobBackoff(() => undefined);
  const fail = async () => {
    throw new Error("x");
  };
  await jobs.try("a", fail);
  await jobs.try("a", fail);
  assert.equal(await jobs.try("a", async () => undefined), false);
  assert.equal(await jobs.try("a", async () => undefined), true);
  await jobs.try("a", fail);
  assert.equal(await jobs.try("a", async () => undefined), true);
});
