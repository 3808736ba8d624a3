import assert from "node:assert/strict";
import { test } from "node:test";
import { FixtureCache } from "./scrapers.ts";

const ready = (version: string) => ({ source: "file:///county.scraper.ts", version });

test("fixtures are tested at most once a minute per version", async () => {
  let now = 0;
  let looks = 0;
  const fixturesOf = async () => ({ cases: ++looks, passed: 0, failed: [] });
  const book = new FixtureCache({ fixturesOf }, () => now);
  const casesOf = async (version: string) => (await book.statusOf(ready(version)))?.cases;
  assert.deepEqual(await Promise.all(["v1", "v1", "v2"].map(casesOf)), [1, 1, 2]);
  now = 59_999;
  assert.equal(await casesOf("v1"), 1);
  now = 60_000;
  assert.equal(await casesOf("v1"), 3);
});

test("without fixture tests there is no result", async () => {
  assert.equal(await new FixtureCache({}, () => 0).statusOf(ready("v1")), undefined);
});
