import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { retryAfterMs as longestMs } from "./retry.ts";

const retryAfterMs = (text: string, now: number) => longestMs([text], now);

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

test("seconds and HTTP dates are read, and nothing else", () => {
  assert.equal(retryAfterMs("120", NOW), 120_000);
  assert.equal(retryAfterMs(" 0 ", NOW), 0);
  assert.equal(retryAfterMs("Thu, 01 Jan 2026 00:01:00 GMT", NOW), 60_000);
  assert.equal(retryAfterMs("Wed, 31 Dec 2025 00:00:00 GMT", NOW), 0);
  for (const text of ["", "soon", "-5", "x1", "1h", ",", "12, soon"])
    assert.equal(retryAfterMs(text, NOW), undefined, text);
});

test("no wait is negative or longer than a day", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.nat().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      (text) => {
        const ms = retryAfterMs(text, NOW);
        assert.ok(ms === undefined || (ms >= 0 && ms <= DAY), `${text}: ${ms}`);
      },
    ),
  );
  assert.equal(retryAfterMs("999999999", NOW), DAY);
});

test("of several the longest counts, whatever their order and form; what cannot be read does not", () => {
  const date = "Thu, 01 Jan 2026 00:01:00 GMT";
  const cases: readonly [readonly string[], number | undefined][] = [
    [["5", "120"], 120_000],
    [["120", "5"], 120_000],
    [["5", date], 60_000],
    [[date, "90"], 90_000],
    [["-5", "7"], 7000],
    [["soon", "7", ""], 7000],
    [["5, 120"], 120_000],
    [["120,5", "60"], 120_000],
    [["soon", "-1"], undefined],
    [[], undefined],
  ];
  for (const [values, expected] of cases) assert.equal(longestMs(values, NOW), expected, values.join(" | "));
});
