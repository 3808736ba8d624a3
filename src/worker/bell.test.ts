import assert from "node:assert/strict";
import { test } from "node:test";
import { Bell } from "./bell.ts";

const LONG_MS = 3_600_000;

test("a ring ends the wait", async () => {
  const bell = new Bell();
  const waiting = bell.wait(LONG_MS);
  bell.ring();
  await waiting;
  assert.equal(bell.wasRung, true);
});

test("a ring before the wait is not forgotten, and counts once", async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(LONG_MS);
  assert.equal(bell.wasRung, true);
  await bell.wait(1);
  assert.equal(bell.wasRung, false);
});

test("rings that come while it gathers are one with those before", async () => {
  const bell = new Bell();
  const gathering = bell.gather(1);
  bell.ring();
  await gathering;
  await bell.wait(1);
  assert.equal(bell.wasRung, false);
});
