import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { timeCounts, type WorkSums } from "../domain/work-sums.ts";
import { workerInfo } from "../ports/ledger-suite/test-kit.ts";
import { Registration, WorkTally } from "./registration.ts";

/** What was reported to the ledger: whether the worker drains, and its sums. */
type Heard = readonly [isDraining: boolean, sums: WorkSums | undefined];

const open = (t: TestContext) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const heard: Heard[] = [];
  const errors: unknown[] = [];
  const tally = new WorkTally();
  const state = { isDraining: false, isBroken: false };
  const registration = new Registration({
    ledger: {
      registerWorker: async ({ isDraining }, sums) => {
        if (state.isBroken) throw new Error("locked");
        heard.push([isDraining, sums]);
      },
    },
    info: () => workerInfo("w1", { isDraining: state.isDraining }),
    tally,
    onError: (error) => void errors.push(error),
  });
  return { heard, errors, tally, state, registration };
};

test("the worker registers regularly with its counts, and a last time at its end", async (t) => {
  const { heard, tally, state, registration } = open(t);
  registration.start();
  tally.add("refused settles", 1);
  t.mock.timers.tick(5000);
  await registration.report();
  assert.deepEqual(heard, [
    [false, { "refused settles": 1 }],
    [false, {}],
  ]);
  tally.add("refused settles", 2);
  state.isDraining = true;
  await registration.stop();
  t.mock.timers.tick(60_000);
  assert.deepEqual(heard.slice(2), [[true, { "refused settles": 2 }]]);
});

test("a failed registration is reported and repeated later", async (t) => {
  const { heard, errors, tally, state, registration } = open(t);
  tally.add("refused settles", 1);
  state.isBroken = true;
  await registration.report();
  assert.deepEqual([heard.length, errors.length], [0, 1]);
  state.isBroken = false;
  await registration.report();
  assert.deepEqual(heard, [[false, { "refused settles": 1 }]]);
});

const told = async (tally: WorkTally): Promise<WorkSums> => {
  let heard: WorkSums | undefined;
  await tally.report(async (sums) => void (heard = sums));
  return heard!;
};

test("each duration is reported once, together with its counts", async () => {
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

test("counts that could not be sent are sent the next time, together with newer ones", async () => {
  const tally = new WorkTally();
  tally.add("refused settles", 2);
  const full = new Error("the disk is full");
  await assert.rejects(
    tally.report(async () => {
      tally.add("refused settles", 5);
      throw full;
    }),
    full,
  );
  assert.deepEqual(await told(tally), { "refused settles": 7 });
});

test("the cost of items is reported by kind, with the CPU time", async () => {
  const tally = new WorkTally();
  tally.item("http", { ms: 500, requests: 2 });
  tally.item("http", { ms: 1500, requests: 1 });
  const { "http cpu seconds": cpu = 0, ...rest } = await told(tally);
  assert.deepEqual(rest, { "http items": 2, "http item seconds": 2, "http item requests": 3 });
  assert.ok(cpu > 0);
  assert.deepEqual(await told(tally), {}, "without items, CPU time waits for the next ones");
});
