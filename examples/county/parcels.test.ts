import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parcelId, parcelNumber, parcelOf } from "./parcels.ts";

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

test("an id is ten digits and leads back to its parcel", () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 0, max: 9_999_999_999 }), (seed, n) => {
      const id = parcelId(seed, n);
      assert.match(id, /^\d{10}$/);
      assert.equal(parcelNumber(seed, id), n);
    }),
  );
});

test("some ids begin with a zero", () => {
  const ids = Array.from({ length: 200 }, (_, n) => parcelId(1, n));
  assert.ok(ids.some((id) => id.startsWith("0")));
});

test("the tax due is the assessed value times the rate, to the cent", () => {
  fc.assert(
    fc.property(seeds, fc.nat(), (seed, n) => {
      const { assessedValue, marketValue, taxRateE4, taxDueCents } = parcelOf(seed, n);
      assert.ok(assessedValue > 0 && assessedValue <= marketValue);
      assert.ok(Math.abs(assessedValue * (taxRateE4 / 1e6) - taxDueCents / 100) < 0.006);
    }),
  );
});
