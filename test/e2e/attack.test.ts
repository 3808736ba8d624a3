import assert from "node:assert/strict";
import { test } from "node:test";
import { SHORT } from "../../bench/attack/attack.ts";
import { MOST_MB, runAttacks } from "../../bench/attack/run-attacks.ts";

const skip = process.platform === "linux" ? false : "memory is read from /proc";

/** All attacks together, on a machine with a load of 30. */
const timeout = 3_600_000;

test("one client cannot harm another client of a service", { skip, timeout }, async (t) => {
  for await (const { name, broke, peakMb, skipped } of runAttacks(SHORT, ({ testedBy }) => !testedBy))
    await t.test(name, { ...(skipped !== undefined && { skip: skipped }) }, () => {
      assert.equal(broke, undefined);
      assert.ok(peakMb < MOST_MB, `${peakMb} MB`);
    });
});
