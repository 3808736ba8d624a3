import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { floodGate } from "./flood-gate.ts";

test("the request after the limit is one too many, until the first of them is older than the window", () => {
  const gate = floodGate({ limit: 3, windowMs: 1000 });
  assert.deepEqual(
    [0, 10, 20, 30].map((at) => gate.isFlooded(at)),
    [false, false, false, true],
  );
  assert.equal(gate.isFlooded(1005), true, "those without an answer count too");
  assert.equal(gate.isFlooded(2100), false);
});

test("it is flooded exactly while more than the limit arrived within the window", () => {
  const gaps = fc.array(fc.nat(300), { maxLength: 200 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 8 }), (waits, limit) => {
      const gate = floodGate({ limit, windowMs: 1000 });
      const arrivals: number[] = [];
      let now = 0;
      for (const wait of waits) {
        arrivals.push((now += wait));
        const recent = arrivals.filter((at) => now - at < 1000).length;
        assert.equal(gate.isFlooded(now), recent > limit);
      }
    }),
  );
});
