import assert from "node:assert/strict";
import { test } from "node:test";
import { renderReport } from "./render/report.ts";
import { sampleView } from "./testing/sample-view.ts";

process.env["SLUICE_COMMAND"] = "sluice";
const FACTS = { data: "./other", tookMs: 1 };
const report = (view: Parameters<typeof renderReport>[0], facts: typeof FACTS): string =>
  renderReport(view, facts).join("\n");

test("what the caps kept out is told, each with its way on", () => {
  const text = report(
    sampleView({
      states: { done: 30 },
      counts: { capped: 12 },
      cappedBy: { items: 7, depth: 2, chain: 1, budget: 2, quota: 0 },
      spec: { maxItems: 30, maxDepth: 10, scrapers: [{ ...sampleView().spec.scrapers[0]!, maxChain: 500 }] },
    }),
    FACTS,
  );
  assert.match(text, /42 inputs, given and found: 30 items, 12 capped/);
  const flat = text.replaceAll(/\s+/g, " ");
  assert.match(flat, /7 inputs beyond the 30 items of the job \(--max-items\)/);
  assert.match(flat, /2 inputs found more than 10 steps from one scraper to another/);
  assert.match(flat, /1 input found after 500 next pages in a row/);
  assert.match(flat, /2 inputs found after the budget was spent/);
  assert.match(flat, /sluice resume \S+ --max-items 60 --max-depth 20 --max-chain 1000/);
});

test("what a cancelled job found on its way out is not laid on a limit", () => {
  const text = report(
    sampleView({
      state: "cancelled",
      states: { done: 3 },
      counts: { capped: 2 },
      cappedBy: { items: 2, depth: 0, chain: 0, budget: 0, quota: 0 },
      spec: { maxItems: Number.MAX_SAFE_INTEGER },
    }),
    FACTS,
  );
  assert.match(text, /Capped: 2 inputs found after the job was cancelled\./);
  assert.ok(!text.includes("--max-items"));
});

test("a 404 is explained as an answer that a scraper can take", () => {
  const failures = [
    { kind: "navigation" as const, count: 3, exampleKey: "7", exampleDetail: "the site answered 404" },
  ];
  const text = report(sampleView({ states: { failed: 3 }, failures }), FACTS).replaceAll(/\s+/g, " ");
  assert.match(text, /accept: \[404\]/);
  assert.match(text, /throw absent\(\)/);
});
