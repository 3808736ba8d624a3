import assert from "node:assert/strict";
import { test } from "node:test";
import { WakeSignal } from "./wake-signal.ts";

const LONG_MS = 3_600_000;

test("a ring ends the wait", async () => {
  const wakeSignal = new WakeSignal();
  const waiting = wakeSignal.wait(LONG_MS);
  wakeSignal.ring();
  await waiting;
});

test("a ring before the wait is not forgotten, and counts once", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const wakeSignal = new WakeSignal();
  wakeSignal.ring();
  wakeSignal.ring();
  await wakeSignal.wait(LONG_MS);
  let isOver = false;
  const second = wakeSignal.wait(LONG_MS).then(() => (isOver = true));
  await Promise.resolve();
  assert.equal(isOver, false);
  t.mock.timers.tick(LONG_MS);
  await second;
});
