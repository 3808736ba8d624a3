import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { gzipBomb } from "./bomb.ts";

test("a bomb is valid gzip, a thousandth of what comes out of it", () => {
  const bomb = gzipBomb(3);
  const unpacked = gunzipSync(bomb);
  assert.equal(unpacked.length, 3 * 1_048_576);
  assert.ok(unpacked.every((byte) => byte === 0));
  assert.ok(bomb.length < unpacked.length / 900);
});
