import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cacheLifetime, parseHttpDate } from "./cache-lifetime.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toUTCString();

const word = (
  headers: Readonly<Record<string, string | readonly string[]>>,
  own: { readonly method?: string; readonly sent?: Readonly<Record<string, string>> } = {},
): readonly [own: number | undefined, shared: number | undefined] => {
  const responseHeaders = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  const { method = "GET", sent = {} } = own;
  const requestHeaders = Object.entries(sent);
  const url = "http://site.test/";
  const { ownMs, sharedMs } = cacheLifetime(
    { method, url, status: 200, requestHeaders, responseHeaders },
    NOW,
  );
  return [ownMs, sharedMs];
};

test("max-age is for all, s-maxage for a shared cache, private for none", () => {
  assert.deepEqual(word({ "cache-control": "max-age=60" }), [60_000, 60_000]);
  assert.deepEqual(word({ "cache-control": "max-age=60, s-maxage=5" }), [60_000, 5000]);
  assert.deepEqual(word({ "cache-control": "private, max-age=60" }), [60_000, 0]);
  assert.deepEqual(word({ "cache-control": "max-age=60, proxy-revalidate" }), [60_000, 0]);
});

test("a response that must not be stored, or must be revalidated, is never fresh", () => {
  for (const value of ["no-store", "no-cache", "NO-CACHE, max-age=60", 'no-cache="set-cookie", max-age=60'])
    assert.deepEqual(word({ "Cache-Control": value }), [0, 0], value);
  assert.deepEqual(word({ pragma: "no-cache" }), [0, 0]);
  assert.deepEqual(word({ vary: "*", "cache-control": "max-age=60" }), [0, 0]);
  assert.deepEqual(word({ vary: "accept, *", "cache-control": "max-age=60" }), [0, 0]);
});

test("a response without headers gets the default lifetime, a shared one with a cookie does not", () => {
  assert.deepEqual(word({}), [undefined, undefined]);
  assert.deepEqual(word({ "last-modified": at(-1e6) }), [undefined, undefined]);
  assert.deepEqual(word({ "set-cookie": "a=b" }), [undefined, 0]);
  assert.deepEqual(word({ "cache-control": "private" }), [undefined, 0]);
});

test("the age that a response already has counts, by Age or by Date", () => {
  assert.deepEqual(word({ "cache-control": "max-age=60", age: "20" }), [40_000, 40_000]);
  assert.deepEqual(word({ "cache-control": "max-age=60", date: at(-50), age: "20" }), [10_000, 10_000]);
  assert.deepEqual(word({ "cache-control": "max-age=60", date: at(1000) }), [60_000, 60_000]);
  for (const age of ["abc", "-5", "1.5", "1,2", ["0", "0"]])
    assert.deepEqual(word({ "cache-control": "max-age=60", age }), [0, 0]);
});

test("Expires counts from Date, gives way to max-age, and is in the past when it cannot be read", () => {
  assert.deepEqual(word({ date: at(0), expires: at(30) }), [30_000, 30_000]);
  assert.deepEqual(word({ date: at(-10), expires: at(20) }), [20_000, 20_000]);
  assert.deepEqual(word({ date: at(0), expires: at(30), "cache-control": "max-age=5" }), [5000, 5000]);
  for (const expires of ["0", "soon", "-1", [at(30), at(40)]])
    assert.deepEqual(word({ date: at(0), expires }), [0, 0], String(expires));
  assert.deepEqual(word({ date: at(0), expires: "Thu Jan  1 12:00:09 2026" }), [9000, 9000]);
});

test("of repeated directives the stricter one applies, and an invalid number is ignored", () => {
  assert.deepEqual(word({ "cache-control": "max-age=60, max-age=5" }), [5000, 5000]);
  assert.deepEqual(word({ "cache-control": ["max-age=5", "max-age=60"] }), [5000, 5000]);
  for (const value of ["max-age=a60", "max-age='60'", "max-age=-60", "max-age", "max-age=6.5"])
    assert.deepEqual(word({ "cache-control": value }), [0, 0], value);
  assert.deepEqual(word({ "cache-control": 'max-age="60"' }), [60_000, 60_000]);
  assert.deepEqual(word({ "cache-control": 'x="no-store, max-age=1", max-age=60' }), [60_000, 60_000]);
  assert.deepEqual(word({ "cache-control": "max-age=99999999999999" })[0], 2 ** 31 * 1000);
});

test("the response to a POST is shared only if it says so; for its own client it is like any other", () => {
  assert.deepEqual(word({}, { method: "POST" }), [undefined, 0]);
  assert.deepEqual(word({ "cache-control": "no-store" }, { method: "POST" }), [0, 0]);
  assert.deepEqual(word({ "cache-control": "max-age=60" }, { method: "POST" }), [60_000, 60_000]);
});

test("a response that must be revalidated can still be shared after revalidation", () => {
  const of = (value: string) =>
    cacheLifetime(
      {
        method: "GET",
        url: "http://site.test/",
        status: 200,
        requestHeaders: [],
        responseHeaders: [["cache-control", value]],
      },
      NOW,
    ).isShareable;
  assert.deepEqual(["no-cache", "max-age=0", "private", "no-store"].map(of), [true, true, false, false]);
});

test("a response to a request with credentials is not shared", () => {
  const sent = { authorization: "Basic [redacted]" };
  assert.deepEqual(word({ "cache-control": "max-age=60" }, { sent }), [60_000, 0]);
});

const RECEIVED_AT = Date.UTC(2026, 0, 1);

test("the three forms of a date are one time", () => {
  const expected = Date.UTC(1994, 10, 6, 8, 49, 37);
  for (const text of [
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
  ])
    assert.equal(parseHttpDate(text, RECEIVED_AT), expected, text);
});

test("a year of two digits is at most 50 years ahead", () => {
  assert.equal(
    parseHttpDate("Thursday, 18-Aug-50 02:01:18 GMT", RECEIVED_AT),
    Date.UTC(2050, 7, 18, 2, 1, 18),
  );
  assert.equal(
    parseHttpDate("Thursday, 18-Aug-76 02:01:18 GMT", RECEIVED_AT),
    Date.UTC(2076, 7, 18, 2, 1, 18),
  );
  assert.equal(
    parseHttpDate("Thursday, 18-Aug-77 02:01:18 GMT", RECEIVED_AT),
    Date.UTC(1977, 7, 18, 2, 1, 18),
  );
});

test("an invalid HTTP date is ignored", () => {
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
  for (const text of [...wrong, ...zones]) assert.equal(parseHttpDate(text, RECEIVED_AT), undefined, text);
});

test("every date that is written as servers write it is read back", () => {
  const date = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(date, (sent) => {
      assert.equal(parseHttpDate(sent.toUTCString(), RECEIVED_AT), Math.floor(sent.getTime() / 1000) * 1000);
    }),
  );
});
