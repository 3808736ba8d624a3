import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "../extraction/field.ts";
import { checkScraper } from "./check-scraper.ts";
import { page } from "./page.ts";
import { ScraperLoadError } from "./check-scraper.ts";

const input = { url: field.url("a") };
const listing = (emit: unknown) => ({ ...page, name: "listing", emit });

const assertRefused = (emit: unknown, part: RegExp): void =>
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

test("what is no list of emitTo is refused", () => {
  for (const emit of [{}, "self", 5]) assertRefused(emit, /`emit` must be a list/);
  for (const one of [null, page, { target: "self" }, { target: page, spec: 5 }])
    assertRefused([one], /`emit\[0\]` must be made with emitTo/);
});

test("a target must be a whole scraper", () => {
  assertRefused([{ target: undefined, spec: { input } }], /import each other/);
  assertRefused([{ target: "town", spec: { input } }], /target of emit\[0\]: has no default export/);
  assertRefused([{ target: { ...page, name: "No!" }, spec: { input } }], /target of emit\[0\]: `name`/);
  const far = { ...page, name: "far", emit: [{ target: { ...page, pace: 5 }, spec: { input } }] };
  assertRefused([{ target: far, spec: { input } }], /target of emit\[0\], the target of emit\[0\]: `pace`/);
});

test("what a target is given must make sense", () => {
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
  for (const [spec, part] of cases) assertRefused([{ target: "self", spec }], part);
});

test("a depth is a number from 0", () => {
  for (const depth of ["10", -1])
    assert.throws(() => checkScraper({ ...page, limits: { depth } }, "x.ts"), ScraperLoadError);
});
