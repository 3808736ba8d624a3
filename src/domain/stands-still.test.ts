import assert from "node:assert/strict";
import { test } from "node:test";
import { standsStill } from "./stands-still.ts";

const LIMIT_MS = 10_000;

test("what ran all the while and was not heard of stands still, what was kept waiting does not", () => {
  assert.equal(standsStill(9_000, 9_000, LIMIT_MS), false);
  assert.equal(standsStill(11_000, 11_000, LIMIT_MS), true);
  assert.equal(standsStill(11_000, 6_000, LIMIT_MS), true);
  assert.equal(standsStill(50_000, 4_000, LIMIT_MS), false);
  assert.equal(standsStill(61_000, 0, LIMIT_MS), true);
});

test("where the system does not tell, the clock on the wall counts", () => {
  assert.equal(standsStill(9_000, undefined, LIMIT_MS), false);
  assert.equal(standsStill(11_000, undefined, LIMIT_MS), true);
});
