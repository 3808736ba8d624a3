import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText } from "./duration-text.ts";

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
