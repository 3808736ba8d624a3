import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { backoffMs, jitteredMs } from "./retry.ts";

const anyBackoff = fc.record({
  firstMs: fc.nat(60_000),
  factor: fc.double({ min: 1, max: 10, noNaN: true }),
  maxMs: fc.nat(3_600_000),
});
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("each wait is twice the one before until the longest is reached", () => {
  const backoff = { firstMs: 1000, factor: 2, maxMs: 5000 };
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((attempt) => backoffMs(backoff, attempt)),
    [1000, 2000, 4000, 5000, 5000],
  );
});

test("a backoff never shrinks from one attempt to the next and never passes its bound", () => {
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 1, max: 5000 }), (backoff, attempt) => {
      const ms = backoffMs(backoff, attempt);
      assert.ok(ms >= 0 && ms <= backoff.maxMs);
      assert.ok(backoffMs(backoff, attempt + 1) >= ms);
    }),
  );
});

test("jitter spreads the wait over whole milliseconds from none up to the backoff", () => {
  const backoff = { firstMs: 1000, factor: 2, maxMs: 60_000 };
  assert.equal(jitteredMs(backoff, 2, 0), 0);
  assert.equal(jitteredMs(backoff, 2, 0.5), 1000);
  assert.equal(jitteredMs(backoff, 2, 1 - Number.EPSILON), 1999);
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 1, max: 100 }), anyRandom, (any, attempt, random) => {
      const ms = jitteredMs(any, attempt, random);
      assert.ok(Number.isInteger(ms) && ms >= 0 && ms <= backoffMs(any, attempt));
    }),
  );
});
