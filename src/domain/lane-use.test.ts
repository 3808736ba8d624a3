import assert from "node:assert/strict";
import { test } from "node:test";
import { addUse, type LaneUse, usedPerSecond } from "./lane-use.ts";

const NONE: LaneUse = { used: 0, usedAt: 0 };
const START = 1_750_000_000_000;

test("a steady rate is read as that rate, in whatever pieces it is reported", () => {
  for (const everyMs of [300, 1000, 2000]) {
    let use = NONE;
    let now = START;
    for (; now < START + 60_000; now += everyMs) use = addUse(use, (5 * everyMs) / 1000, now);
    const read = usedPerSecond(use, now - everyMs / 2);
    assert.ok(Math.abs(read - 5) < 0.2, `${read} by reports every ${everyMs} ms`);
  }
});

test("it decays to nothing when no more is sent, and is not enlarged by a clock that is set back", () => {
  const use = addUse(NONE, 50, START);
  assert.equal(usedPerSecond(use, START), 5);
  assert.ok(usedPerSecond(use, START + 10_000) < 2);
  assert.equal(usedPerSecond(use, START + 120_000), 0);
  assert.equal(usedPerSecond(use, START - 3_600_000), 5);
  assert.deepEqual(addUse(use, 10, START - 3_600_000), { used: 60, usedAt: START - 3_600_000 });
});
