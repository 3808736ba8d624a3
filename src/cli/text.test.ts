import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import {
  bytesText,
  countText,
  durationText,
  fitText,
  padText,
  percentText,
  plainText,
  rateText,
  shellWord,
  textTable,
  textWidth,
} from "./text.ts";

test("a text that fits is unchanged, and a longer one ends in an ellipsis", () => {
  assert.equal(fitText("parcel", 6), "parcel");
  assert.equal(fitText("parcels", 6), "parce…");
  assert.equal(fitText("parcels", 0), "");
});

test("wide characters take two columns and marks none", () => {
  assert.equal(textWidth("東京"), 4);
  assert.equal(textWidth("e\u0301"), 1);
  assert.equal(fitText("東京都", 5), "東京…");
  assert.equal(padText("東京", 6), "東京  ");
  assert.equal(padText("東京", 6, "left"), "  東京");
});

test("no text is wider than its limit", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.nat(20),
      (text, width) => textWidth(fitText(text, width)) <= width,
    ),
  );
});

test("text from a site cannot control the terminal or break the line", () => {
  assert.equal(plainText(" a\x1b[31mb\x1b[0m\r\n\tc\x07\u202e "), "ab c");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[\p{Cc}]/u.test(plainText(text))));
});

test("counts are grouped by three and read back the same", () => {
  assert.deepEqual([0, 999, 1000, 1234567].map(countText), ["0", "999", "1,000", "1,234,567"]);
  fc.assert(fc.property(fc.nat(), (count) => Number(countText(count).replaceAll(",", "")) === count));
});

test("100 % means all and 0 % means none", () => {
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
    "no limit",
  ]);
});

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const cases: readonly (readonly [number, string])[] = [
  [-5, "0.0s"],
  [420, "0.4s"],
  [9949, "9.9s"],
  [9950, "10s"],
  [59_400, "59s"],
  [59_500, "1m 00s"],
  [3 * MINUTE + 5 * SECOND, "3m 05s"],
  [HOUR - 1, "1h 00m"],
  [2 * HOUR + 4 * MINUTE + 50 * SECOND, "2h 04m"],
  [79 * HOUR, "3d 07h"],
];

for (const [ms, text] of cases) test(`${ms} ms are ${text}`, () => assert.equal(durationText(ms), text));

test("a shell reads every quoted word unchanged", () => {
  for (const word of ["parcel=1", "https://x.example/?a=1&b=2", "it's", '$HOME `id` "x"', "a b", "*", "~"])
    assert.equal(execFileSync("sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" }), word);
});

test("columns are aligned, and the last one is cut at the width", () => {
  const columns = ["kind", { right: "items" }, "for example"];
  const rows = [
    ["timeout", "7", "no answer"],
    ["blocked", "1,200", "the site answered 403"],
  ];
  assert.deepEqual(textTable(columns, rows, 30), [
    "  kind     items  for example",
    "  timeout      7  no answer",
    "  blocked  1,200  the site an…",
  ]);
});
