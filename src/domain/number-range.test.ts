import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithin, numberProblem, PACE_RANGES, RANGES, rangeText } from "./number-range.ts";

test("a number is within its range, its ends included, and whole where it must be", () => {
  assert.ok(isWithin(RANGES.perSecond, 1 / 86_400) && isWithin(RANGES.maxAttempts, 100));
  for (const value of [0, -1, 1e-300, NaN, Infinity, "5", undefined, null])
    assert.ok(!isWithin(RANGES.perSecond, value), String(value));
  assert.ok(!isWithin(RANGES.maxAttempts, 1.5));
});

test("a refusal names the number, its value and the range", () => {
  assert.equal(
    numberProblem({ perSecond: 1e-300 }, PACE_RANGES, "pace"),
    "`pace.perSecond` is 1e-300: expected a number from 0.0000116 to 100,000 (requests per second; the minimum is one per day).",
  );
  assert.equal(rangeText(RANGES.maxAttempts), "a whole number from 1 to 100");
});
