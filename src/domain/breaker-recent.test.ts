import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { appendRecent, readRecent, type RecentResult } from "./breaker.ts";
import { FAILURE_KINDS } from "./failure.ts";

const anyResult = fc.constantFrom<RecentResult>("done", "absent", ...FAILURE_KINDS);

test("the last fifty results are read back as they were appended, in a letter each", () => {
  fc.assert(
    fc.property(fc.array(anyResult, { maxLength: 120 }), (results) => {
      const recent = results.reduce(appendRecent, "");
      assert.deepEqual(readRecent(recent), results.slice(-50));
      assert.equal(recent.length, Math.min(50, results.length));
    }),
  );
});
