import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "../extraction/field.ts";
import { page } from "./page.ts";
import { fullPace, readyScraper } from "./ready-scraper.ts";
import { type AnyScraper, DEFAULT_LIMITS } from "./scraper.ts";
import { ScraperLoadError } from "./scraper-load-error.ts";

const ready = (own: Partial<AnyScraper>) =>
  readyScraper({ scraper: { ...page, ...own }, source: "file:///scrapers/one.ts", version: "v1" });

test("what a scraper leaves out is filled in, politely", async () => {
  const { pace, limits, extraction } = await ready({});
  assert.deepEqual(pace, { perSecond: 2, concurrency: 4, burst: 1 });
  assert.deepEqual([limits, extraction], [DEFAULT_LIMITS, undefined]);
});

test("what it says holds, and the rest stays as it was", async () => {
  const { pace, limits } = await ready({ pace: { concurrency: 9 }, limits: { hops: 3 } });
  assert.deepEqual(pace, { perSecond: 2, concurrency: 9, burst: 1 });
  assert.deepEqual(limits, { ...DEFAULT_LIMITS, hops: 3 });
});

test("the burst follows the rate unless it is given", () => {
  assert.equal(fullPace({ perSecond: 400 }).burst, 20);
  assert.equal(fullPace({ perSecond: 400, burst: 3 }).burst, 3);
});

test("its extraction is compiled, fields and required ones in order", async () => {
  const fields = { b: field.text("b"), a: field.text("a").optional() };
  const { extraction } = await ready({ extract: { fields } });
  assert.deepEqual([extraction?.fieldNames, extraction?.required], [["b", "a"], ["b"]]);
});

test("an extract block that cannot work is refused before anything runs, with the file's name", async () => {
  const fields = { owner: field.text("b") };
  for (const extract of [{ fields: {} }, { fields, each: "li[" }])
    await assert.rejects(
      () => ready({ extract }),
      (error) =>
        error instanceof ScraperLoadError &&
        error.code === "bad-scraper" &&
        /^\/scrapers\/one\.ts: .*extract/.test(error.message),
    );
});
