import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fitText, padText, plainText, textWidth } from "./fit-text.ts";

test("a text that fits stays as it is, and a longer one ends in an ellipsis", () => {
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

test("no text is ever wider than it may be", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.nat(20),
      (text, width) => textWidth(fitText(text, width)) <= width,
    ),
  );
});

test("what comes from a site cannot steer the terminal or break the line", () => {
  assert.equal(plainText(" a\x1b[31mb\x1b[0m\r\n\tc\x07\u202e "), "ab c");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[\p{Cc}]/u.test(plainText(text))));
});
