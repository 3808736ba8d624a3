import assert from "node:assert/strict";
import { test } from "node:test";
import { field } from "../extraction/field.ts";
import { by } from "../extraction/place.ts";
import { emitTo } from "./compile-emit.ts";
import { jobFields, jobScrapers } from "./load-pinned.ts";
import { ScraperLoadError } from "./check-scraper.ts";
import { type LoadedScraper } from "./load-scraper.ts";
import { page } from "./page.ts";
import { fullPace, compileScraper } from "./compiled-scraper.ts";
import { type AnyScraper, DEFAULT_LIMITS } from "./scraper.ts";

const loaded = (own: Partial<AnyScraper>): LoadedScraper => ({
  scraper: { ...page, ...own },
  source: "file:///scrapers/one.ts",
  version: "v1",
  targets: new Map(),
});
const ready = (own: Partial<AnyScraper>) => compileScraper(loaded(own));

test("omitted options get polite defaults", async () => {
  const { pace, limits, extraction } = await ready({});
  assert.deepEqual(pace, { perSecond: 2, concurrency: 4, burst: 1 });
  assert.deepEqual([limits, extraction], [DEFAULT_LIMITS, undefined]);
});

test("given options apply, and the others keep their defaults", async () => {
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

test("a job that only collects compiles what is emitted and nothing else", async () => {
  const emit = [emitTo("self", { each: "li", input: { url: field.url("a") } })];
  const own = { extract: { fields: { owner: field.text("b") } }, emit };
  const { extraction, emits } = await compileScraper(loaded(own), { extracts: false });
  assert.deepEqual([extraction, emits.map(({ target, min }) => [target, min])], [undefined, [["page", 1]]]);
});

test("an emit that cannot work is refused before anything runs, and named", async () => {
  const emit = [
    emitTo("self", { input: { url: field.url("a") } }),
    emitTo("self", { each: "li[", input: { url: field.url("a") } }),
  ];
  await assert.rejects(
    () => ready({ emit }),
    (error) =>
      error instanceof ScraperLoadError && error.code === "bad-scraper" && /emit\[1\]/.test(error.message),
  );
});

test("the fields of a job are the root's by their names, and those of the others after their scraper's", async () => {
  const fields = { owner: field.text("b"), tax: field.text("i").optional() };
  const targets = new Map(
    ["town", "street"].map((name) => [name, loaded({ name, extract: { fields } })] as const),
  );
  const scrapers = jobScrapers(await compileScraper({ ...loaded({ extract: { fields } }), targets }));
  assert.deepEqual(jobFields(scrapers), {
    fields: ["owner", "tax", "town.owner", "town.tax", "street.owner", "street.tax"],
    required: ["owner", "town.owner", "street.owner"],
  });
  assert.deepEqual(
    scrapers.map(({ index, fieldsAt, prefix }) => [index, fieldsAt, prefix]),
    [
      [0, 0, ""],
      [1, 2, "town."],
      [2, 4, "street."],
    ],
  );
});

test("pages of a distilled scraper are read by its own extract, those of the browser by the other's", async () => {
  const other = {
    ...page,
    name: "other",
    kind: "browser",
    extract: { fields: { owner: field.text("b") } },
  } as AnyScraper;
  const own = {
    extract: { fields: { owner: field.text(by.path("owner")) } },
    checkAgainst: { scraper: other },
  };
  const { extraction, check } = await ready(own);
  assert.deepEqual([check?.ready.scraper.name, check?.oneIn], ["other", 200]);
  const ownerOf = (text: string, mediaType: string): unknown =>
    extraction?.read([{ name: "page", url: "https://x.example/", status: 200, mediaType, text }])[0]?.fields[
      "owner"
    ]?.value;
  assert.equal(ownerOf('{"owner":"ANN"}', "application/json"), "ANN");
  assert.equal(ownerOf("<b>BOB</b>", "text/html"), "BOB");
});
