import assert from "node:assert/strict";
import { test } from "node:test";
import { sinceWhen } from "./since-option.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const since = sinceWhen(() => NOW);

test("a while ago is counted from now", () => {
  assert.equal(since("12h"), NOW - 12 * 3_600_000);
  assert.equal(since("7d"), NOW - 7 * 86_400_000);
  assert.equal(since("2w"), NOW - 14 * 86_400_000);
});

test("a day begins with its first minute here, a moment is as it says", () => {
  assert.equal(since("2026-11-01"), new Date(2026, 10, 1).getTime());
  assert.equal(since("2026-11-01T08:30Z"), Date.UTC(2026, 10, 1, 8, 30));
});

test("anything else is refused", () => {
  for (const text of ["", "7", "d", "7 days", "yesterday", "2026-13-01", "1.11.2026", "2026-11-01x"])
    assert.throws(() => since(text), { code: "commander.invalidArgument" }, text);
});
