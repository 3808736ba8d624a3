import assert from "node:assert/strict";
import { test } from "node:test";
import { assignTroubles, parseTroubles, PLAIN_TROUBLES, type Trouble, TROUBLE_NAMES } from "./troubles.ts";

const PARCELS = 20_000;

function countTroubles(text: string, options = {}): Map<Trouble | undefined, number> {
  const troubleOf = assignTroubles(1, parseTroubles(text, options));
  const counts = new Map<Trouble | undefined, number>();
  for (let n = 0; n < PARCELS; n++) counts.set(troubleOf(n), (counts.get(troubleOf(n)) ?? 0) + 1);
  return counts;
}

test("each trouble gets about its share of the parcels and the others none", () => {
  const counts = countTroubles("timeout=2,block=10");
  assert.ok(Math.abs((counts.get("timeout") ?? 0) - 0.02 * PARCELS) < 0.004 * PARCELS);
  assert.ok(Math.abs((counts.get("block") ?? 0) - 0.1 * PARCELS) < 0.01 * PARCELS);
  assert.deepEqual(new Set(counts.keys()), new Set([undefined, "timeout", "block"]));
});

test("all means every trouble, none means none", () => {
  assert.deepEqual(new Set(countTroubles("all").keys()), new Set([undefined, ...PLAIN_TROUBLES]));
  const scripted = countTroubles("all", { scripted: true });
  assert.deepEqual(new Set(scripted.keys()), new Set([undefined, ...TROUBLE_NAMES]));
  assert.deepEqual([...countTroubles("none").keys()], [undefined]);
});

test("an unknown trouble, a missing share and more than everything are refused", () => {
  for (const text of ["floods=1", "timeout", "timeout=", "timeout=x", "timeout=-1", "timeout=60,block=60"]) {
    assert.throws(() => countTroubles(text), RangeError, text);
  }
});
