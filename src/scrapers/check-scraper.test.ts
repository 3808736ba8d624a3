import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { dueRemoval } from "../domain/removal.ts";
import { field } from "../extraction/field.ts";
import { checkScraper, retentionOf, retentionProblem, ScraperLoadError } from "./check-scraper.ts";
import { page } from "./page.ts";

const GOOD = { name: "willow-county.tax_2", input: z.object({}), collect: async () => {} };

const assertRefused = (found: unknown, ...parts: RegExp[]): void => {
  assert.throws(
    () => checkScraper(found, "/scrapers/county.ts"),
    (error) => {
      assert.ok(error instanceof ScraperLoadError);
      assert.equal(error.code, "bad-scraper");
      for (const part of [/^\/scrapers\/county\.ts: /, ...parts]) assert.match(error.message, part);
      return true;
    },
    JSON.stringify(found),
  );
};

test("a complete scraper passes unchanged", () => {
  assert.equal(checkScraper(GOOD, "x.ts"), GOOD);
  const full = {
    ...GOOD,
    site: "https://tax.example",
    pace: { perSecond: Infinity, burst: 1, concurrency: 4 },
  };
  assert.equal(checkScraper(full, "x.ts"), full);
});

test("the error for a value that is not an object says how to export a scraper", () => {
  for (const found of [undefined, null, 5, "scraper"]) assertRefused(found, /export default defineScraper/);
});

test("a name that cannot be part of a file name is refused", () => {
  for (const name of [undefined, 5, "", "Willow", "a b", "../x", ".hidden", "ä", "x".repeat(65)])
    assertRefused({ ...GOOD, name }, /`name`/);
});

test("the error for a missing schema or collect says what to write", () => {
  assertRefused({ ...GOOD, input: { parcel: "string" } }, /`input`.*z\.object/);
  assertRefused({ ...GOOD, collect: undefined }, /`collect`.*async collect/);
});

test("a site that is not a web address is refused", () => {
  for (const site of ["tax.example", "ftp://tax.example", "https://", 5])
    assertRefused({ ...GOOD, site }, /`site`.*https:/);
});

test("a pace of anything but positive numbers is refused", () => {
  for (const pace of [5, { perSecond: 0 }, { perSecond: -1 }, { concurrency: "4" }, { perSecond: NaN }])
    assertRefused({ ...GOOD, pace }, /`pace(`.*perSecond|\.perSecond`|\.concurrency`)/);
});

test("an unknown option of pace is refused, because it would be ignored", () => {
  assertRefused({ ...GOOD, pace: { perMinute: 6 } }, /`pace`.*perMinute/);
});

test("proxies are a list of different tiers", () => {
  for (const proxies of ["direct", [], ["Residential"], ["direct", "direct"], ["residential:texas!"], [1]])
    assertRefused({ ...GOOD, proxies }, /`proxies`/);
  assertRefused({ ...GOOD, proxySession: "job" }, /`proxySession` must be "lane" or "item"/);
  checkScraper({ ...GOOD, proxies: ["direct", "datacenter", "residential:us-tx"] }, "x.ts");
  checkScraper({ ...GOOD, proxies: ["residential"] }, "x.ts");
});

test("numbers outside their range are refused with name, value and range; Infinity is a valid rate", () => {
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ pace: { perSecond: 1e-300 } }, /`pace\.perSecond` is 1e-300.*one per day/],
    [{ pace: { burst: 0.1 } }, /`pace\.burst` is 0\.1/],
    [{ pace: { concurrency: 1.5 } }, /`pace\.concurrency` is 1\.5: expected a whole number/],
    [{ limits: { itemMs: 1e12 } }, /`limits\.itemMs`.*day/],
    [{ limits: { requestMs: 0 } }, /`limits\.requestMs` is 0/],
    [{ failures: { timeout: { maxAttempts: 1e9 } } }, /`failures\["timeout"\]\.maxAttempts`/],
    [{ failures: { timeout: { backoff: { firstMs: 1e12 } } } }, /backoff\.firstMs`/],
    [{ retention: { pages: "999999999y" } }, /`retention\.pages`.*100y/],
  ];
  for (const [options, says] of refused) assertRefused({ ...GOOD, ...options }, says);
  checkScraper({ ...GOOD, pace: { perSecond: Infinity, concurrency: 50 } }, "x.ts");
});

const DAY = 86_400_000;

test("a scraper's retention is read in milliseconds, and nothing is due before its time", () => {
  assert.equal(retentionProblem({ pages: "90d", records: "2y" }), undefined);
  const retention = retentionOf({ pages: "90d", records: "2y" })!;
  assert.deepEqual(retention, { pagesMs: 90 * DAY, recordsMs: 730 * DAY });
  const due = [89, 90, 729, 730].map((days) => dueRemoval(retention, 0, days * DAY));
  assert.deepEqual(due, [undefined, "pages", "pages", "job"]);
  assert.equal(retentionOf({}), undefined);
  assert.equal(dueRemoval({ recordsMs: DAY }, 0, DAY), "job");
});

test("an invalid retention is refused with what is expected", () => {
  const problems: readonly [setting: unknown, problem: RegExp][] = [
    ["90d", /takes durations/],
    [{ page: "90d" }, /has no option `page`\. Did you mean `pages`\?/],
    [{ pages: 90 }, /`retention\.pages` is not a duration/],
    [{ pages: "90 days" }, /Units are s, m, h, d, w and y/],
    [{ pages: "2y", records: "90d" }, /`retention\.pages` is longer/],
  ];
  for (const [setting, problem] of problems) assert.match(retentionProblem(setting) ?? "", problem);
});

const input = { url: field.url("a") };
const listing = (emit: unknown) => ({ ...page, name: "listing", emit });

const assertEmitRefused = (emit: unknown, part: RegExp): void =>
  assert.throws(
    () => checkScraper(listing(emit), "/scrapers/listing.ts"),
    (error) =>
      error instanceof ScraperLoadError &&
      error.code === "bad-scraper" &&
      error.message.startsWith("/scrapers/listing.ts") &&
      part.test(error.message),
    String(part),
  );

test("every form of emit passes", () => {
  for (const spec of [
    { input },
    { input, from: "list", each: "li", min: 0, with: ["region"] },
    { input, from: ["list", "more"], with: () => ({}) },
    { inputs: () => [], from: "list", min: 3 },
  ])
    for (const target of ["self", page]) {
      const scraper = listing([{ target, spec }]);
      assert.equal(checkScraper(scraper, "x.ts"), scraper);
    }
});

test("`emit` must be a list of emitTo", () => {
  for (const emit of [{}, "self", 5]) assertEmitRefused(emit, /`emit` must be a list/);
  for (const one of [null, page, { target: "self" }, { target: page, spec: 5 }])
    assertEmitRefused([one], /`emit\[0\]` must be made with emitTo/);
});

test("a target must be a whole scraper", () => {
  assertEmitRefused([{ target: undefined, spec: { input } }], /import each other/);
  assertEmitRefused([{ target: "town", spec: { input } }], /target of emit\[0\]: has no default export/);
  assertEmitRefused([{ target: { ...page, name: "No!" }, spec: { input } }], /target of emit\[0\]: `name`/);
  const far = { ...page, name: "far", emit: [{ target: { ...page, pace: 5 }, spec: { input } }] };
  assertEmitRefused(
    [{ target: far, spec: { input } }],
    /target of emit\[0\], the target of emit\[0\]: `pace`/,
  );
});

test("the options of a target are checked", () => {
  const cases: [unknown, RegExp][] = [
    [{}, /either `input`.* or `inputs`/],
    [{ input, inputs: () => [] }, /either `input`.* or `inputs`/],
    [{ input: {} }, /needs fields in `input`/],
    [{ inputs: [] }, /a function for `inputs`/],
    [{ inputs: () => [], each: "li" }, /has no option `each`/],
    [{ input, fields: {} }, /has no option `fields`/],
    [{ input, from: 5 }, /for `from`/],
    [{ input, each: ["li"] }, /for `each`/],
    [{ input, with: "region" }, /for `with`/],
    [{ input, min: -1 }, /for `min`/],
    [{ input, min: 0.5 }, /for `min`/],
  ];
  for (const [spec, part] of cases) assertEmitRefused([{ target: "self", spec }], part);
});

test("a depth is a number from 0", () => {
  for (const depth of ["10", -1])
    assert.throws(() => checkScraper({ ...page, limits: { depth } }, "x.ts"), ScraperLoadError);
});

test("`checkAgainst` needs a browser scraper, and neither scraper may act or emit", () => {
  const other = { ...page, name: "other", kind: "browser" };
  const refused = (own: object, part: RegExp): void =>
    assert.throws(() => checkScraper({ ...page, ...own }, "x.ts"), part);
  assert.ok(checkScraper({ ...page, checkAgainst: { scraper: other, oneIn: 50 } }, "x.ts"));
  refused({ checkAgainst: { scraper: page } }, /`checkAgainst` needs a `scraper` that uses a browser/);
  refused({ checkAgainst: { scraper: other, oneIn: 0 } }, /a whole number from 1 to 1,000,000/);
  refused({ checkAgainst: { scraper: other, every: 5 } }, /has no option `every`/);
  refused({ checkAgainst: { scraper: other }, once: true }, /they would act twice/);
  refused({ checkAgainst: { scraper: { ...other, pace: 5 } } }, /the scraper of `checkAgainst`: `pace`/);
});

test("the identity of a browser is for scrapers over HTTP", () => {
  const known = { ...GOOD, identity: "browser" };
  assert.equal(checkScraper(known, "x.ts"), known);
  assertRefused({ ...GOOD, identity: "chrome" }, /`identity` must be "own" or "browser"/);
  for (const kind of ["browser", "auto", "recording"])
    assertRefused({ ...known, kind }, /`identity: "browser"` is for kind http/);
});
