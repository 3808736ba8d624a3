import assert from "node:assert/strict";
import { test } from "node:test";
import { explainChain } from "./explain-chain.ts";
import { findSteps, unexplainedText } from "./find-chain.ts";
import { findTargets } from "./find-target.ts";
import { openScriptSite, type ScriptSiteOptions } from "./testing/script-site.ts";
import { parcelScraper } from "./testing/parcel-scraper.ts";
import { visitByHand } from "./testing/visit-by-hand.ts";

const foundFor = async (options: ScriptSiteOptions, level: "values" | "state" = "values") => {
  await using site = await openScriptSite(options);
  const runs = [await visitByHand(site.url, "12", options), await visitByHand(site.url, "2345", options)];
  const [target] = findTargets(parcelScraper(site.url), runs);
  assert.ok(target);
  const found = findSteps(runs, target.calls, level);
  assert.ok(found);
  return {
    found,
    target,
    lines: explainChain({ ...found, fields: target.fields, dropped: [] }),
    unexplained: found.unexplained.map((one) => unexplainedText(found, one)),
  };
};

test("every changing part comes from the input or from an earlier response; the ping is left out", async () => {
  const { lines, unexplained } = await foundFor({});
  assert.deepEqual(lines, [
    "1. GET /  (start)",
    "   later requests need values from its response",
    "2. POST /api/search  (search)",
    "   later requests need values from its response",
    "   JSON value `q`: the input's `parcel`",
    '   JSON value `key`: input[name="form_key"] @value of `start`',
    '   header `x-csrf-token`: meta[name="csrf-token"] @content of `start`',
    "3. GET /api/parcels/…  (parcels)",
    "   its response has the fields",
    "   path segment 3: JSON hits[0].ref of `search`",
    '   header `x-csrf-token`: meta[name="csrf-token"] @content of `start`',
    "Fields: parcel at parcel.parcel, owner at parcel.owner, value at parcel.value, due at parcel.due, exemptions at parcel.exemptions[], history at parcel.history[].",
  ]);
  assert.deepEqual(unexplained, []);
});

test("a value that a script computes is named, with its request", async () => {
  const { unexplained } = await foundFor({ isSigned: true });
  assert.deepEqual(unexplained, [
    "request 4 GET /api/parcels/…: query `sig` changes between runs and comes from no earlier response",
  ]);
});

test("the time of a request is recognized", async () => {
  const { found } = await foundFor({ hasTime: true });
  assert.deepEqual(
    found.unexplained.map(({ part, clock }) => [part.name, clock]),
    [["_", { from: "clock", unit: "ms" }]],
  );
});

test("if the site remembers the search, it is repeated", async () => {
  const { found } = await foundFor({ remembers: true }, "state");
  assert.deepEqual(
    found.steps.map(({ path }) => path),
    ["/", "/api/search", "/api/current"],
  );
});

test("if the response is the page's own markup, the scraper's own extract reads it", async () => {
  const { target } = await foundFor({ isHtml: true });
  assert.deepEqual(target, { calls: new Map([["detail", 3]]), fields: { by: "extract" }, missing: [] });
});
