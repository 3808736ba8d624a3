import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { deliveryDelayMs } from "./retry.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** When the tries of a delivery that always fails are made, in ms from the first. */
const triesAt = (randomOf: () => number, retryAfterMs?: number): number[] => {
  const at = [0];
  for (let attempts = 1; attempts < 100; attempts++) {
    const ageMs = at.at(-1)!;
    const delayMs = deliveryDelayMs({ attempts, ageMs, retryAfterMs, random: randomOf() });
    if (delayMs === undefined) return at;
    at.push(ageMs + delayMs);
  }
  throw new Error("it never ends");
};

test("the delays grow from seconds to hours, and the last attempt is at the end of a day", () => {
  const seconds = triesAt(() => 0).map((ms) => ms / 1000);
  assert.deepEqual(seconds, [0, 5, 305, 2105, 9305, 27_305, 63_305, 86_400]);
});

test("with any jitter, attempts continue for a day and then end", () => {
  const chance = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(chance, (numbers) => {
      let next = 0;
      const at = triesAt(() => numbers[next++ % numbers.length]!);
      assert.ok(Math.abs(at.at(-1)! - DAY) <= 1);
      assert.ok(at.length >= 7 && at.length <= 8);
    }),
  );
});

test("the delay that the receiver asks for is respected, even beyond the day", () => {
  assert.equal(deliveryDelayMs({ attempts: 1, ageMs: 0, retryAfterMs: HOUR, random: 0.5 }), HOUR);
  assert.equal(deliveryDelayMs({ attempts: 1, ageMs: 0, retryAfterMs: 1, random: 0 }), 5000);
  assert.equal(deliveryDelayMs({ attempts: 7, ageMs: DAY - 1, retryAfterMs: HOUR, random: 0 }), HOUR);
  assert.equal(deliveryDelayMs({ attempts: 8, ageMs: DAY + HOUR, retryAfterMs: HOUR, random: 0 }), undefined);
});
