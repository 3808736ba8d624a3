import assert from "node:assert/strict";
import { test } from "node:test";
import { addFailureTimes, type FailureTimes, NO_FAILURE_TIMES } from "./failure-times.ts";

const MINUTE = 60_000;

const sumOf = ({ buckets }: FailureTimes): number =>
  Object.values(buckets).reduce((sum, { timeout = [0, 0] }) => sum + timeout[1], 0);

test("failures of the same second are one bucket, by kind", () => {
  let times = addFailureTimes(NO_FAILURE_TIMES, 120_000, { timeout: [1, 2] });
  times = addFailureTimes(times, 120_999, { timeout: [0, 1], blocked: [1, 1] });
  times = addFailureTimes(times, 121_000, { blocked: [1, 0] });
  assert.deepEqual(times, {
    widthMs: 1000,
    buckets: { 120: { timeout: [1, 3], blocked: [1, 1] }, 121: { blocked: [1, 0] } },
  });
});

test("a long job has few buckets, and loses no failure", () => {
  let times = NO_FAILURE_TIMES;
  for (let minute = 0; minute < 10_000; minute++)
    times = addFailureTimes(times, 1_750_000_000_000 + minute * MINUTE, { timeout: [0, 1] });
  const numbers = Object.keys(times.buckets);
  assert.ok(numbers.length > 40 && numbers.length <= 96, `${numbers.length} buckets`);
  assert.equal(sumOf(times), 10_000);
  assert.equal(Number(numbers[0]) * times.widthMs <= 1_750_000_000_000, true);
});

test("also where the clock is set back by years", () => {
  const at = 1_750_000_000_000;
  const times = addFailureTimes(addFailureTimes(NO_FAILURE_TIMES, at, { timeout: [1, 1] }), at / 2, {
    timeout: [1, 1],
  });
  assert.equal(Object.keys(times.buckets).length, 2);
  assert.equal(sumOf(times), 2);
});
