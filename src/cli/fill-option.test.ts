import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidArgumentError } from "commander";
import { fieldNames, fillValue } from "./fill-option.ts";

test("numbers and truth values are kept as such, everything else is text", () => {
  const texts = ["tax=0", "rate=-1.5", "zip=01234", "paid=false", "owner=", "note=a=b"];
  const filled = texts.reduce<ReadonlyMap<string, unknown>>(
    (before, text) => fillValue(text, before),
    new Map(),
  );
  assert.deepEqual(Object.fromEntries(filled), {
    tax: 0,
    rate: -1.5,
    zip: "01234",
    paid: false,
    owner: "",
    note: "a=b",
  });
});

test("names come in one word or in several", () => {
  assert.deepEqual(fieldNames("tax", fieldNames("owner, pool", undefined)), ["owner", "pool", "tax"]);
});

test("what names no field is refused", () => {
  for (const wrong of [
    () => fillValue("0", undefined),
    () => fillValue("=0", undefined),
    () => fieldNames("a,", undefined),
  ])
    assert.throws(wrong, InvalidArgumentError);
});
