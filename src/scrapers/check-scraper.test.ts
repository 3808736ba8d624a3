import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { checkScraper } from "./check-scraper.ts";
import { ScraperLoadError } from "./check-scraper.ts";

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

test("a whole scraper passes as it is", () => {
  assert.equal(checkScraper(GOOD, "x.ts"), GOOD);
  const full = {
    ...GOOD,
    site: "https://tax.example",
    pace: { perSecond: Infinity, burst: 1, concurrency: 4 },
  };
  assert.equal(checkScraper(full, "x.ts"), full);
});

test("something that is no object is told how a scraper is exported", () => {
  for (const found of [undefined, null, 5, "scraper"]) assertRefused(found, /export default defineScraper/);
});

test("a name that cannot be part of a file name is refused", () => {
  for (const name of [undefined, 5, "", "Willow", "a b", "../x", ".hidden", "ä", "x".repeat(65)])
    assertRefused({ ...GOOD, name }, /`name`/);
});

test("without a schema or without collect it is told what to write", () => {
  assertRefused({ ...GOOD, input: { parcel: "string" } }, /`input`.*z\.object/);
  assertRefused({ ...GOOD, collect: undefined }, /`collect`.*async collect/);
});

test("a site that is no web address is refused", () => {
  for (const site of ["tax.example", "ftp://tax.example", "https://", 5])
    assertRefused({ ...GOOD, site }, /`site`.*https:/);
});

test("a pace of anything but positive numbers is refused", () => {
  for (const pace of [5, { perSecond: 0 }, { perSecond: -1 }, { concurrency: "4" }, { perSecond: NaN }])
    assertRefused({ ...GOOD, pace }, /`pace(`.*perSecond|\.perSecond`|\.concurrency`)/);
});

test("a pace with a word that does not exist is refused: it would pass for another pace", () => {
  assertRefused({ ...GOOD, pace: { perMinute: 6 } }, /`pace`.*perMinute/);
});

test("a scraper that cannot do without a proxy is refused while there is none", () => {
  for (const proxies of ["direct", [], ["residential:us-tx"]])
    assertRefused({ ...GOOD, proxies }, /`proxies`/);
  checkScraper({ ...GOOD, proxies: ["direct", "datacenter"] }, "x.ts");
});

test("numbers are held to their ranges, and a refusal names the number, its value and the range; no rate at all is one", () => {
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ pace: { perSecond: 1e-300 } }, /`pace\.perSecond` is 1e-300.*one a day/],
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
