import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BadCount,
  type CanaryCounts,
  type CanaryRule,
  type CanaryState,
  canaryFindings,
  DEFAULT_CANARY,
  judgeCanary,
  newCanary,
  observe,
  WHOLE_ITEM,
} from "./canary.ts";
import { simulateCanary } from "./testing/simulate-canary.ts";
import { seededRandom } from "./testing/seeded-random.ts";

const RULE: CanaryRule = {
  fields: ["owner", WHOLE_ITEM],
  required: ["owner", WHOLE_ITEM],
  share: 0.1,
  ...DEFAULT_CANARY,
};

const counts = (canary: BadCount, control: BadCount): CanaryCounts => ({
  canary: { items: canary[0], fields: { owner: canary, [WHOLE_ITEM]: [canary[0], 0] } },
  control: { items: control[0], fields: { owner: control, [WHOLE_ITEM]: [control[0], 0] } },
});

const after = (...batches: CanaryCounts[]): CanaryState => {
  const random = seededRandom(1);
  return batches.reduce((state, batch) => observe(state, batch, RULE, random), newCanary());
};

test("a field that is always bad in the canary is found after a few items, with its evidence", () => {
  const verdict = judgeCanary(after(counts([6, 6], [54, 1])), RULE);
  assert.equal(verdict.verdict, "bad");
  assert.ok("findings" in verdict);
  assert.deepEqual(
    verdict.findings.map(({ field, canary, control }) => ({ field, canary, control })),
    [{ field: "owner", canary: [6, 6], control: [54, 1] }],
  );
});

test("a canary that is better, or as bad as the rest, is never bad", () => {
  assert.equal(judgeCanary(after(counts([100, 0], [900, 300])), RULE).verdict, "going");
  assert.equal(judgeCanary(after(counts([100, 33], [900, 300])), RULE).verdict, "going");
});

test("items wait until there are some of the other version, and then count once", () => {
  const early = after(counts([20, 20], [0, 0]));
  assert.equal(judgeCanary(early, RULE).verdict, "going");
  const late = observe(early, counts([0, 0], [180, 2]), RULE, seededRandom(2));
  assert.equal(judgeCanary(late, RULE).verdict, "bad");
  assert.deepEqual(canaryFindings(late)[0]?.canary, [20, 20]);
});

test("it is good when all required fields are surely less than a point worse, and undecided after 2,000 items", () => {
  assert.equal(judgeCanary(after(counts([500, 0], [4500, 0])), RULE).verdict, "going");
  assert.equal(judgeCanary(after(counts([600, 0], [5400, 0])), RULE).verdict, "good");
  assert.equal(judgeCanary(after(counts([2000, 400], [18_000, 3600])), RULE).verdict, "undecided");
  assert.equal(judgeCanary(newCanary(), RULE).verdict, "going");
});

// The bench runs the simulation 1,000 times.
test("simulated: a field bad in 30 % instead of 2 % is found within 40 items; good versions stay", () => {
  const found = Array.from({ length: 41 }, (_, run) => simulateCanary({ seed: run + 1, badShare: 0.3 }));
  assert.ok(found.every(({ verdict }) => verdict === "bad"));
  assert.ok(found.map(({ items }) => items).toSorted((a, b) => a - b)[20]! <= 40);
  const good = Array.from({ length: 20 }, (_, run) =>
    simulateCanary({ seed: run + 1, badShare: 0.02, mostItems: 300 }),
  );
  assert.ok(good.every(({ verdict }) => verdict !== "bad"));
});
