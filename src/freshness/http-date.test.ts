import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseHttpDate } from "./cache-word.ts";

const NOW = Date.UTC(2026, 0, 1);

test("the three forms of a date are one time", () => {
  const at = Date.UTC(1994, 10, 6, 8, 49, 37);
  for (const text of [
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
  ])
    assert.equal(parseHttpDate(text, NOW), at, text);
});

test("a year of two digits is at most 50 years ahead", () => {
  assert.equal(parseHttpDate("Thursday, 18-Aug-50 02:01:18 GMT", NOW), Date.UTC(2050, 7, 18, 2, 1, 18));
  assert.equal(parseHttpDate("Thursday, 18-Aug-76 02:01:18 GMT", NOW), Date.UTC(2076, 7, 18, 2, 1, 18));
  assert.equal(parseHttpDate("Thursday, 18-Aug-77 02:01:18 GMT", NOW), Date.UTC(1977, 7, 18, 2, 1, 18));
});

test("what is no date of HTTP is none", () => {
  const wrong = [
    "",
    "0",
    "-1",
    "2026-01-01",
    "Thu, 31 Jun 2026 00:00:00 GMT",
    "Thu, 01 Foo 2026 00:00:00 GMT",
  ];
  const zones = [
    "Thu, 01 Jan 2026 00:00:00 EST",
    "Thu, 01 Jan 2026 24:00:00 GMT",
    "Thu, 1 Jan 2026 00:00:00 GMT",
  ];
  for (const text of [...wrong, ...zones]) assert.equal(parseHttpDate(text, NOW), undefined, text);
});

test("every date that is written as servers write it is read back", () => {
  const date = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(date, (at) => {
      assert.equal(parseHttpDate(at.toUTCString(), NOW), Math.floor(at.getTime() / 1000) * 1000);
    }),
  );
});
