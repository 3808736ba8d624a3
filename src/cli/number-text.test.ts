import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesText, countText, percentText, rateText } from "./number-text.ts";

test("counts are grouped by three and read back the same", () => {
  assert.deepEqual([0, 999, 1000, 1234567].map(countText), ["0", "999", "1,000", "1,234,567"]);
  fc.assert(fc.property(fc.nat(), (count) => Number(countText(count).replaceAll(",", "")) === count));
});

test("only all is 100 % and only none is 0 %", () => {
  assert.deepEqual(
    [percentText(1, 3), percentText(999_999, 1_000_000), percentText(1, 1_000_000), percentText(0, 5)],
    ["33.3%", ">99.9%", "<0.1%", "0.0%"],
  );
  assert.equal(percentText(0, 0), "–");
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1 }), (a, b) => {
      const [part, whole] = [Math.min(a, b), b];
      const text = percentText(part, whole);
      assert.equal(text === "100.0%", part === whole);
      assert.equal(text === "0.0%", part === 0);
    }),
  );
});

test("bytes are shown in the unit that fits", () => {
  assert.deepEqual([1, 999, 1000, 45_511_535, 3e12, 4e15].map(bytesText), [
    "1 byte",
    "999 bytes",
    "1.0 kB",
    "45.5 MB",
    "3.0 TB",
    "4000.0 TB",
  ]);
});

test("slow rates keep their digits", () => {
  assert.deepEqual([0.25, 3.14, 132.6, 12_345, Infinity].map(rateText), [
    "0.25/s",
    "3.1/s",
    "133/s",
    "12,345/s",
    "as fast as it answers",
  ]);
});
