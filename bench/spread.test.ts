import assert from "node:assert/strict";
import { test } from "node:test";
import { percentile, rounded, spreadOf } from "./spread.ts";

test("the median of an odd number of runs is one of them, of an even number lies between two", () => {
  assert.deepEqual(spreadOf([9, 1, 5]), { median: 5, min: 1, max: 9 });
  assert.equal(spreadOf([4, 1, 9, 2]).median, 3);
});

test("numbers are sorted as numbers", () => {
  assert.deepEqual(spreadOf([10, 9, 100]), { median: 10, min: 9, max: 100 });
});

test("a value keeps three digits, or four from a thousand on", () => {
  assert.equal(rounded(0.123456), 0.123);
  assert.equal(rounded(123_456), 123_500);
});

test("a percentile is the smallest value that the given share does not exceed", () => {
  const values = Array.from({ length: 300 }, (_, n) => 300 - n);
  assert.equal(percentile(values, 0.99), 297);
  assert.equal(percentile([7], 0.99), 7);
});
