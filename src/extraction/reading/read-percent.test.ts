import assert from "node:assert/strict";
import { test } from "node:test";
import { readPercent } from "./read-number.ts";

test("a percentage is read with its sign before, after or in the column's head", () => {
  const good: readonly (readonly [string, number])[] = [
    ["1.25 %", 1.25],
    ["1.25%", 1.25],
    ["1,25 %", 1.25],
    ["1.234 %", 1.234],
    ["%5", 5],
    ["-0.5%", -0.5],
    ["(0.5%)", -0.5],
    ["(0.5)%", -0.5],
    ["100", 100],
    ["2.5 percent", 2.5],
    ["٪٥", 5],
  ];
  for (const [text, value] of good) assert.deepEqual(readPercent(text), { value }, text);
});

test("a sign alone means no value, and extra text is malformed", () => {
  assert.deepEqual(readPercent("-- %"), { isEmpty: true });
  assert.deepEqual(readPercent("%"), { isEmpty: true });
  for (const text of ["1.25 % of value", "5‰", "5%%%", "about 5%"])
    assert.ok("problem" in readPercent(text), text);
});

test("percent is read as a word of many languages", () => {
  for (const text of list(
    "12,5 Prozent; 12,5 procent; 12,5 per cento; 12,5 por cento; 12,5 pour cent; 12,5 por ciento; 12,5 procenten; 12,5 v. H.",
  ))
    assert.deepEqual(readPercent(text, { decimal: "," }), { value: 12.5 }, text);
  for (const text of list("12 centimes; 12 procesy; percentile 5"))
    assert.ok("problem" in readPercent(text), text);
});

const list = (text: string): readonly string[] => text.split(";").map((one) => one.trim());
