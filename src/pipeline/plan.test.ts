import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { z } from "zod";
import { jobScrapers } from "../scrapers/load-pinned.ts";
import type { LoadedScraper } from "../scrapers/load-scraper.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import { type AnyScraper, defineScraper } from "../scrapers/scraper.ts";
import { laneFor, type LaneOf, planFound, planInput } from "./plan.ts";

const laneOf: LaneOf = ({ host }) => host;
const anyInput = z.looseObject({});

const scraper = (own: Partial<AnyScraper> = {}): AnyScraper => ({
  ...defineScraper({ name: "one", site: "https://tax.example", input: anyInput, collect: async () => {} }),
  ...own,
});

const plan = (of: AnyScraper, value: Record<string, unknown>) => planInput(of, { line: 7, value }, laneOf);

const planned = (of: AnyScraper, value: Record<string, unknown>) => {
  const result = plan(of, value);
  assert.ok("item" in result, JSON.stringify(result));
  return result.item;
};

const problemOf = (result: ReturnType<typeof planInput>): string => {
  assert.ok("rejected" in result);
  assert.equal(result.rejected.line, 7);
  return result.rejected.problem;
};

test("an input that the schema refuses is rejected with its line and the path of every issue", () => {
  const strict = scraper({
    input: z.object({ parcel: z.string(), owner: z.object({ year: z.number() }) }),
  });
  const problem = problemOf(plan(strict, { owner: { year: "old" } }));
  assert.match(problem, /parcel: .+; owner\.year: /);
});

test("a row that could not be read is rejected with its own problem", () => {
  assert.equal(
    problemOf(planInput(scraper(), { line: 7, problem: "no such column" }, laneOf)),
    "no such column",
  );
});

test("the item has the input as parsed by the schema", () => {
  const trimming = scraper({ input: z.object({ parcel: z.string().trim().toUpperCase() }) });
  assert.equal(planned(trimming, { parcel: " r1 " }).input, '{"parcel":"R1"}');
});

test("without `key`, the canonical URL of an input with a url is its key", () => {
  const keys = ["https://A.example/x?b=1&a=2#top", "https://a.example:443/x?a=2&b=1"].map(
    (url) => planned(scraper(), { url }).key,
  );
  assert.equal(keys[0], keys[1]);
});

test("a relative url is resolved against the scraper's site, for key and lane", () => {
  const { key, lane } = planned(scraper(), { url: "/parcel/1" });
  assert.deepEqual([key, lane], ["https://tax.example/parcel/1", "tax.example"]);
});

test("without a url the input itself is the key, whatever the order of its members", () => {
  const members = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([name]) => name });
  const shuffled = members.chain((pairs) =>
    fc.tuple(fc.constant(pairs), fc.shuffledSubarray(pairs, { minLength: pairs.length })),
  );
  fc.assert(
    fc.property(shuffled, ([some, others]) => {
      const [a, b] = [some, others].map((pairs) =>
        planned(scraper(), { ...Object.fromEntries(pairs), url: null }),
      );
      assert.equal(a!.key, b!.key);
    }),
  );
  assert.notEqual(planned(scraper(), { a: { b: 1 } }).key, planned(scraper(), { a: { c: 1 } }).key);
});

test("the lane is the url's own, else the site's, else the one that the scraper names", () => {
  assert.equal(planned(scraper(), { url: "https://other.example/x" }).lane, "other.example");
  assert.equal(planned(scraper(), { parcel: "1" }).lane, "tax.example");
  assert.equal(planned(scraper({ lane: "vendor" }), { url: "https://other.example/x" }).lane, "vendor");
});

test("a named lane applies to the item's own site; other hosts keep theirs", () => {
  const own = { lane: "vendor" };
  const { site: _, ...homeless } = scraper(own);
  const lanes = [scraper(own), homeless].map((of) => laneFor(of, { url: "https://tax.example/1" }, laneOf));
  for (const lane of lanes) {
    assert.equal(lane(new URL("https://tax.example/2")), "vendor");
    assert.equal(lane(new URL("https://other.example/")), "other.example");
  }
  assert.equal(laneFor(homeless, { url: "no address" }, laneOf)(new URL("https://a.example")), "a.example");
});

test("a scraper without site and lane rejects inputs without a url", () => {
  const { site: _, ...homeless } = scraper();
  assert.match(problemOf(plan(homeless, { parcel: "1" })), /url/);
  assert.equal(planned({ ...homeless, lane: "vendor" }, { parcel: "1" }).lane, "vendor");
});

test("a key that throws, is empty or is not a text rejects only its input", () => {
  const keyed = scraper({
    key: (input) => {
      const { key } = input as { key: unknown };
      if (key === "bad") throw new Error("cannot be told");
      return key as string;
    },
  });
  assert.equal(problemOf(plan(keyed, { key: "bad" })), "cannot be told");
  assert.match(problemOf(plan(keyed, { key: "" })), /key/);
  assert.match(problemOf(plan(keyed, { key: 5 })), /key/);
  assert.equal(planned(keyed, { key: "good" }).key, "good");
});

test("a key is text that every database returns unchanged", () => {
  const keyed = scraper({ key: (input) => (input as { key: string }).key });
  assert.equal(planned(keyed, { key: "a\ud800" }).key, "a\ufffd");
  assert.equal(planned(keyed, { key: "😀" }).key, "😀");
});

test("keys and inputs that are too long are rejected with the limit", () => {
  const url = "http://site.test/";
  assert.equal(planned(scraper(), { url: url + "a".repeat(7900) }).key.length, 7917);
  assert.match(
    problemOf(plan(scraper(), { url: url + "a".repeat(8000) })),
    /its key has 8017 characters; the limit is 8000/,
  );
  assert.match(problemOf(plan(scraper(), { url, note: "x".repeat(262_144) })), /its input as JSON has/);
});

test("an asynchronous schema is refused", () => {
  const slow = scraper({ input: z.object({}).refine(async () => true) });
  assert.ok(problemOf(plan(slow, {})) !== "");
});

test("found inputs are checked by the schema of their target", async () => {
  const strict = { name: "town", input: z.object({ url: z.url() }), collect: async () => {} };
  const ready = async (one: AnyScraper, targets: ReadonlyMap<string, LoadedScraper> = new Map()) =>
    await compileScraper({ scraper: one, source: "test", version: "v1", targets });
  const town: LoadedScraper = {
    scraper: defineScraper(strict),
    source: "test",
    version: "v1",
    targets: new Map(),
  };
  const scrapers = jobScrapers(await ready(scraper(), new Map([["town", town]])));
  const found = [
    { target: "one", inputs: [{ value: { url: "https://tax.example/next" } }] },
    {
      target: "town",
      inputs: [
        { value: { url: "https://town.example/1" } },
        { value: {} },
        { value: {}, problem: 'url: "x:y" is no page' },
      ],
    },
  ];
  const { emitted, rejected } = planFound(found, scrapers, "list", laneOf);
  assert.deepEqual(
    emitted.map(({ key, lane, scraper: index }) => [key, lane, index]),
    [
      ["https://tax.example/next", "tax.example", undefined],
      ["https://town.example/1", "town.example", 1],
    ],
  );
  assert.deepEqual(
    rejected.map(({ line, parent }) => [line, parent]),
    [
      [2, "list"],
      [3, "list"],
    ],
  );
  assert.match(rejected[0]!.problem, /^town: url: /);
  assert.equal(rejected[1]!.problem, 'town: url: "x:y" is no page');
});
