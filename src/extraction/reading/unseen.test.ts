import assert from "node:assert/strict";
import { test } from "node:test";
import { trimUnseen, withoutUnseen } from "./reading.ts";

test("invisible characters are removed from a text, and joiners only where they join nothing", () => {
  assert.equal(withoutUnseen("\u200b Smith\u00adson \u2060 & Co\u200e \u200b"), "Smithson & Co");
  assert.equal(withoutUnseen("\u200c\u200d\u2800"), "");
  const persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";
  assert.equal(withoutUnseen(`\u200c${persian}\u200d`), persian);
});

test("an address loses invisible characters only at its ends", () => {
  assert.equal(trimUnseen("\ufeff/a\u200bb\u200b "), "/a\u200bb");
  assert.equal(trimUnseen("\u200b"), "");
});
