import assert from "node:assert/strict";
import { test } from "node:test";
import { similarNames } from "./known-options.ts";

const PAGE = ["market", "marketValue", "lblAssessed", "taxyear", "owner", "footer", "nav"];

test("typing errors, another case and longer names are found, the closest first", () => {
  assert.deepEqual(similarNames("markt", PAGE)[0], "market");
  assert.deepEqual(similarNames("tax-year", PAGE), ["taxyear"]);
  assert.deepEqual(similarNames("assessed", PAGE), ["lblAssessed"]);
  assert.deepEqual(similarNames("MARKET_VALUE", PAGE), ["marketValue", "market"]);
});

test("a name without a similar one gives no suggestion", () => {
  assert.deepEqual(similarNames("exemptions", PAGE), []);
  assert.deepEqual(similarNames("", PAGE), []);
});
