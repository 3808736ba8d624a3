import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { WorkSums } from "../domain/work-sums.ts";
import { card } from "../ports/ledger-suite/test-kit.ts";
import { Registration } from "./registration.ts";
import { WorkTally } from "./work-tally.ts";

/** What the ledger heard: whether the worker drains, and its sums. */
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
    card: () => card("w1", { isDraining: state.isDraining }),
    tally,
    onError: (error) => void errors.push(error),
  });
  return { heard, errors, tally, state, registration };
};

test("the worker is told now and then with what it has counted, and a last time at its end", async (t) => {
  const { heard, tally, state, registration } = open(t);
  registration.start();
  tally.add("refused settles", 1);
  t.mock.timers.tick(5000);
  await registration.tell();
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

test("a ledger that does not take it is reported, and hears it the next time", async (t) => {
  const { heard, errors, tally, state, registration } = open(t);
  tally.add("refused settles", 1);
  state.isBroken = true;
  await registration.tell();
  assert.deepEqual([heard.length, errors.length], [0, 1]);
  state.isBroken = false;
  await registration.tell();
  assert.deepEqual(heard, [[false, { "refused settles": 1 }]]);
});
