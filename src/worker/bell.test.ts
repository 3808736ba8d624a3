import assert from "node:assert/strict";
import { test } from "node:test";
import { Bell } from "./bell.ts";

const LONG_MS = 3_600_000;

test("a ring ends the wait", async () => {
  const bell = new Bell();
  const waiting = bell.wait(LONG_MS);
  bell.ring();
  await waiting;
});

test("a ring before the wait is not forgotten, and counts once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(LONG_MS);
  let isOver = false;
  const second = bell.wait(LONG_MS).then(() => (isOver = true));
  await Promise.resolve();
  assert.equal(isOver, false);
  t.mock.timers.tick(LONG_MS);
  await second;
});
