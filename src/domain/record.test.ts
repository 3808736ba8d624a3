import assert from "node:assert/strict";
import { test } from "node:test";
import { hidePlaces, withoutPlaces } from "./record.ts";

const CASES: readonly (readonly [string, string])[] = [
  [
    "/opt/sluice/scrapers/county.scraper.ts: cannot be loaded. SyntaxError (/opt/sluice/lib/x.js:3:5)",
    "county.scraper.ts: cannot be loaded. SyntaxError (x.js:3:5)",
  ],
  [
    "Cannot find module 'file:///srv/a/b.mts' imported from /srv/a/c.ts",
    "Cannot find module 'b.mts' imported from c.ts",
  ],
  ["Error: connect ECONNREFUSED 10.0.0.5:5432 (x.ts:1:2)", "Error: connect ECONNREFUSED (x.ts:1:2)"],
  ["connect ETIMEDOUT fd00::7:443 - Local (fd00::1:0)", "connect ETIMEDOUT"],
  [
    "ENOENT: no such file or directory, open '/etc/sluice/towns.csv'",
    "ENOENT: no such file or directory, open",
  ],
  ["/srv/data/sluice.db: it is locked.", "sluice.db: it is locked."],
];

test("folders and addresses are removed from messages, names and reasons stay", () => {
  for (const [text, expected] of CASES) assert.equal(withoutPlaces(text), expected);
});

test("what the client knows already is not removed", () => {
  for (const text of [
    "connection refused: tax.example.gov (ECONNREFUSED)",
    "the site answered 404: https://tax.example.gov/a/b/app.js?x=/c/d",
    "no link a.detail on /search/results",
    "http://10.0.0.1:8080/x is not a public address: private (10.0.0.0/8)",
  ])
    assert.equal(withoutPlaces(text), text);
});

test("in JSON only texts are redacted", () => {
  const given = { key: "/a/b.ts", items: [{ detail: "/a/b.ts: it broke" }] };
  assert.equal(JSON.stringify(given, hidePlaces), '{"key":"/a/b.ts","items":[{"detail":"b.ts: it broke"}]}');
});
