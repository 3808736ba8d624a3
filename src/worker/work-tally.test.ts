import assert from "node:assert/strict";
import { test } from "node:test";
import { timeCounts, type WorkSums } from "../domain/work-sums.ts";
import { WorkTally } from "./work-tally.ts";

const told = async (tally: WorkTally): Promise<WorkSums> => {
  let heard: WorkSums | undefined;
  await tally.tell(async (sums) => void (heard = sums));
  return heard!;
};

test("each time is told once, with those that it was counted with", async () => {
  const tally = new WorkTally();
  for (let n = 0; n < 3; n++) await tally.timed("claim", async () => n);
  assert.equal(await tally.timed("settle", async () => "its answer"), "its answer");
  tally.add("refused settles", 2);
  tally.add("refused settles", 0);
  const sums = await told(tally);
  assert.deepEqual([timeCounts(sums, "claim").count, timeCounts(sums, "settle").count], [3, 1]);
  assert.ok(timeCounts(sums, "claim").seconds > 0);
  assert.equal(sums["refused settles"], 2);
  assert.deepEqual(await told(tally), {});
});

test("what fails is not timed", async () => {
  const tally = new WorkTally();
  const broken = new Error("broken");
  await assert.rejects(
    tally.timed("lane-wait", () => Promise.reject(broken)),
    broken,
  );
  assert.deepEqual(await told(tally), {});
});

test("what could not be told is told the next time, with what has come since", async () => {
  const tally = new WorkTally();
  tally.add("refused settles", 2);
  const full = new Error("the disk is full");
  await assert.rejects(
    tally.tell(async () => {
      tally.add("refused settles", 5);
      throw full;
    }),
    full,
  );
  assert.deepEqual(await told(tally), { "refused settles": 7 });
});
