import assert from "node:assert/strict";
import { test } from "node:test";
import { listingOf, REQUIRED_FIELDS } from "./listing.ts";
import { parcelOf } from "./parcels.ts";
import type { Trouble } from "./troubles.ts";

/** How many required fields of each status a page with this trouble can show, over many parcels. */
function countsOf(status: string, trouble: Trouble | undefined): Set<number> {
  return new Set(
    Array.from({ length: 200 }, (_, n) => {
      const listing = listingOf(1, parcelOf(1, n), trouble);
      return REQUIRED_FIELDS.filter((name) => listing[name].status === status).length;
    }),
  );
}

test("a healthy page shows all ten required fields", () => {
  assert.deepEqual(countsOf("present", undefined), new Set([10]));
  assert.deepEqual(countsOf("present", "drip"), new Set([10]));
});

test("each trouble of the data spoils some fields in its own way and leaves the others", () => {
  assert.deepEqual(countsOf("missing", "rows-gone"), new Set([1, 2, 3]));
  assert.deepEqual(countsOf("empty", "placeholder"), new Set([1, 2]));
  assert.deepEqual(countsOf("malformed", "malformed"), new Set([1]));
  assert.deepEqual(countsOf("present", "rows-gone"), new Set([9, 8, 7]));
  assert.deepEqual(countsOf("present", "placeholder"), new Set([9, 8]));
  assert.deepEqual(countsOf("present", "malformed"), new Set([9]));
});
