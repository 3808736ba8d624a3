import assert from "node:assert/strict";
import { test } from "node:test";
import { isStalled } from "./stall.ts";

const LIMIT_MS = 10_000;

test("a process that had CPU time and sent nothing is stalled, one that was kept waiting is not", () => {
  assert.equal(isStalled(9_000, 9_000, LIMIT_MS), false);
  assert.equal(isStalled(11_000, 11_000, LIMIT_MS), true);
  assert.equal(isStalled(11_000, 6_000, LIMIT_MS), true);
  assert.equal(isStalled(50_000, 4_000, LIMIT_MS), false);
  assert.equal(isStalled(61_000, 0, LIMIT_MS), true);
});

test("if the system does not report CPU time, wall-clock time counts", () => {
  assert.equal(isStalled(9_000, undefined, LIMIT_MS), false);
  assert.equal(isStalled(11_000, undefined, LIMIT_MS), true);
});
