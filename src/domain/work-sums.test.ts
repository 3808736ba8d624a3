import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { boundOf, timeCounts, type WorkSum, type WorkSums } from "./work-sums.ts";

test("every duration is counted once, by the first bound that it does not exceed", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 200, noNaN: true })), (times) => {
      const sums: Partial<Record<WorkSum, number>> = {};
      for (const seconds of times) {
        const name: WorkSum = `claim within ${boundOf(seconds)}`;
        sums[name] = (sums[name] ?? 0) + 1;
      }
      const { within, count } = timeCounts(sums, "claim");
      assert.equal(count, times.length);
      for (const [bound, n] of within) assert.equal(n, times.filter((seconds) => seconds <= bound).length);
      assert.equal(timeCounts(sums, "settle").count, 0);
    }),
  );
});

test("sums with unknown bounds still count", () => {
  const sums: WorkSums = { "settle within 0.007": 2, "settle within Infinity": 1, "settle seconds": 99 };
  const { within, count, seconds } = timeCounts(sums, "settle");
  assert.deepEqual([within.get(0.005), within.get(0.01), within.get(60)], [0, 2, 2]);
  assert.deepEqual([count, seconds], [3, 99]);
});
