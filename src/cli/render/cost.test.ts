import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleView } from "../testing/sample-view.ts";
import { costLines } from "./cost.ts";

const LADDER = ["direct", "datacenter", "residential:us-tx"];
const { scrapers } = sampleView().spec;
const spec = { scrapers: [{ ...scrapers[0]!, proxies: LADDER }] };
const prices = {
  currency: "EUR",
  of: (tier: string) => (tier === "residential:us-tx" ? { perGB: 8 } : { perGB: 0.5, perRequest: 0.001 }),
};

test("a job without proxies has no costs", () => {
  assert.deepEqual(costLines(sampleView({ requests: 10, bytes: 1000 }), prices), []);
});

test("costs are shown by tier, with the cost of the next tier", () => {
  const view = sampleView({
    spec,
    requests: 1500,
    bytes: 30_000_000,
    costs: { datacenter: { requests: 500, bytes: 20_000_000, microCost: 510_000 } },
  });
  assert.equal(
    costLines(view, prices).join("\n"),
    `
  cost        requests    bytes     price
  direct         1,000
  datacenter       500  20.0 MB  0.51 EUR
  all            1,500           0.51 EUR
  On residential:us-tx it would have cost 0.32 EUR`.slice(1),
  );
});

test("a job without proxy use shows the cost of the first tier; the most expensive tier has no next one", () => {
  const cheap = sampleView({ spec, requests: 1000, bytes: 1e9 });
  assert.deepEqual(costLines(cheap, prices), ["  On datacenter it would have cost 1.50 EUR"]);
  assert.deepEqual(costLines(cheap, undefined), []);
  const costs = { "residential:us-tx": { requests: 10, bytes: 1e9, microCost: 8_000_000 } };
  const dear = sampleView({ spec, requests: 10, bytes: 9e8, costs });
  assert.equal(
    costLines(dear, prices).join("\n"),
    `
  cost               requests   bytes     price
  residential:us-tx        10  1.0 GB  8.00 EUR`.slice(1),
  );
});
