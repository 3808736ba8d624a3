import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyKey, type Exchange } from "./capture.ts";

const HEADERS = { etag: '"a"', "content-length": "7", "content-type": "text/css" };

const keyOf = (
  headers: Readonly<Record<string, string | undefined>> = {},
  change: Partial<Exchange> = {},
): string | undefined =>
  bodyKey({
    method: "GET",
    url: "https://site.test/a.css",
    startedAt: 0,
    requestHeaders: [],
    status: 200,
    statusText: "OK",
    responseHeaders: Object.entries({ ...HEADERS, ...headers }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    ),
    ...change,
  });

test("two responses have one body where URL, strong validator, length, coding and type are the same", () => {
  assert.equal(keyOf(), keyOf({ date: "later" }));
  const others = [
    keyOf({ etag: '"b"' }),
    keyOf({ "content-length": "8" }),
    keyOf({ "content-encoding": "gzip" }),
    keyOf({ "content-type": "text/plain" }),
    keyOf({}, { url: "https://site.test/b.css" }),
  ];
  assert.equal(new Set([keyOf(), ...others]).size, 1 + others.length);
  assert.ok(!others.includes(undefined));
});

test("without a strong validator and a length nothing is promised", () => {
  for (const headers of [{ etag: 'W/"a"' }, { etag: undefined }, { "content-length": undefined }])
    assert.equal(keyOf(headers), undefined);
  for (const change of [{ method: "POST" }, { status: 206 }, { status: 404 }])
    assert.equal(keyOf({}, change), undefined);
});
